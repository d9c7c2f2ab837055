"""Charges as files: the ledger's lines of a scope, each row price × quantity, streamed from PostgreSQL.

question: what is asked · periods: the window in pieces · charges: one piece as SQL · table, focus: its columns ·
source: the SQL run · written: CSV, XLSX, Parquet · files: whole files and their names.
"""
