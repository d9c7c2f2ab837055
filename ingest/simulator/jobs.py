"""The workloads of the demo company, by team."""

from ingest.simulator.curves import DAY, Curve, Notebook, Serving, Training
from ingest.simulator.pods import PULL_12_GB, Job

TRAIN, LAB, SERVE = "fraud-train", "fraud-lab", "fraud-serving"
MIG = "nvidia_com_mig_{}"
GANG = Job("fraud", TRAIN, "PyTorchJob", "txn-graph-embed", "dhofer", Training(0.76), queue="fraud", image=PULL_12_GB)
MULE = Job("fraud", TRAIN, "PyTorchJob", "mule-gnn", "agerber", Training(0.58), queue="fraud", image=PULL_12_GB)
SWEEP = Job("fraud", TRAIN, "Job", "velocity-sweep", "pmeier", Curve(0.315), image=PULL_12_GB)
EVALUATION = Job("fraud", TRAIN, "Job", "chargeback-eval", "jfrei", Curve(0.2), queue="fraud")
NB_KELLER = Job("fraud", LAB, "Notebook", "nb-mkeller", "mkeller", Notebook(share=0.06, until=7 * DAY + 30480), queue="fraud")
NB_GRAPH = Job("fraud", LAB, "Notebook", "nb-graph-lab", "sbrunner", Notebook(level=0.95, share=0.029, tuesdays=True), queue="fraud")
NB_SCHMID = Job("fraud", LAB, "Notebook", "nb-tschmid", "tschmid", Notebook(share=0.02, until=20 * DAY), queue="fraud")
NB_ROSSI = Job("fraud", LAB, "Notebook", "nb-lrossi", "lrossi", Notebook(share=0.024), queue="fraud")
NB_EXPLORE = Job("fraud", LAB, "Notebook", "nb-a100-explore", "nkaya", Notebook(share=0.029, memory=0.22))
NB_NOTES = Job("fraud", LAB, "Notebook", "nb-a100-notes", "jfrei", Notebook(share=0.019), resource=MIG.format("3g_20gb"))
CARD_EMBED = Job("fraud", SERVE, "InferenceService", "card-embed-serve", "nkaya", Serving(0.27), image=PULL_12_GB)
RT_SCORER = Job("fraud", SERVE, "InferenceService", "rt-scorer", "pmeier", Serving(0.165))
FEATURES = Job("fraud", TRAIN, "CronJob", "feature-build", "agerber", Curve(0.46))
ANOMALY = Job("fraud", TRAIN, "PyTorchJob", "anomaly-vae", "dhofer", Training(0.77), queue="fraud")

SCORING = tuple(
    Job("scoring", "scoring", kind, name, user, Training(level), queue="scoring")
    for kind, name, user, level in (
        ("PyTorchJob", "pd-transformer", "rhuber", 0.90), ("Job", "limits-train", "cweber", 0.89), ("Job", "lgd-backtest", "lmoser", 0.88),
        ("PyTorchJob", "ifrs9-scenarios", "fbaumann", 0.91), ("Job", "scorecard-search", "ezimmer", 0.90), ("PyTorchJob", "ead-sequence", "rhuber", 0.89),
        ("Job", "calibration", "cweber", 0.90), ("Job", "rating-embed", "ysuter", 0.88),
    )
)  # fmt: skip
STRESS = Job("scoring", "scoring", "Job", "stress-test", "ysuter", Training(0.88))
REVERSE = Job("scoring", "scoring", "Job", "reverse-stress", "lmoser", Training(0.87))

DEFECT_TRAIN = Job("vision", "research", "PyTorchJob", "defect-train", "isteiner", Training(0.50), queue="vision", team_label=True, image=PULL_12_GB)  # fmt: skip
SEGMENT = Job("vision", "research", "PyTorchJob", "segment-parts", "omarti", Training(0.50), queue="vision", team_label=True, image=PULL_12_GB)  # fmt: skip
DEFECT_RETRAIN = Job("vision", "research", "Job", "defect-retrain", "kgraf", Curve(0.42), team_label=True, image=PULL_12_GB)
DEFECT_LIVE = Job("vision", "inference", "Deployment", "defect-live", "mroth", Serving(0.25), team_label=True, resource=MIG.format("2g_10gb"))  # fmt: skip
AUGMENT = Job("vision", "research", "Job", "augment", "vlanz", Curve(0.52), team_label=True)

INTENT = Job("nlp", "research", "Job", "intent-finetune", "twyss", Training(0.45), queue="nlp", team_label=True)
EMBED_LAB = Job("nlp", "inference", "Deployment", "embed-api", "hkunz", Serving(0.38), team_label=True, resource=MIG.format("2g_10gb"))
ADAPTER = Job("nlp", "research", "StatefulSet", "llm-adapter", "bfischer", Training(0.55), team_label=True, resource=MIG.format("3g_20gb"))
CHAT = Job("nlp", "inference", "Deployment", "chat-intent", "avogel", Serving(0.40), team_label=True)
SUMMARISE = Job("nlp", "inference", "Deployment", "summarise", "avogel", Serving(0.18), team_label=True)

DAMAGE = Job("claims", "claims", "Job", "damage-estimate", "gbieri", Curve(0.38), queue="claims")
OCR = Job("claims", "claims", "Deployment", "doc-ocr", "modermatt", Serving(0.285))
RANKER = Job("search", "search", "Deployment", "ranker", "cackermann", Serving(0.50))
SMILE = Job("pricing", "research", "CronJob", "smile-calibration", "begli", Curve(0.55), queue="pricing", team_label=True)
SURFACE = Job("pricing", "research", "Job", "surface-fit", "mstucki", Curve(0.52), team_label=True)
GATEWAY = Job("platform", "platform", "Deployment", "llm-gateway", "jlang", Serving(0.105))
TEST_LLM = Job("", "sandbox", "Pod", "test-llm", "trainee1", Curve(0.04))
TRY_MIG = Job("", "sandbox", "Pod", "try-mig", "trainee2", Notebook(share=0.05), resource=MIG.format("1g_5gb"))
