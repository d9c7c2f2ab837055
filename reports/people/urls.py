"""Addresses of log-in: by password, by mail, by identity provider. Names that the library asks for beside our own."""

from allauth.account import views
from django.urls import path, re_path
from django.views.generic import TemplateView

from reports.people import openid

told = TemplateView.as_view

urlpatterns = [
    path("login/", views.login, name="login"),
    path("login/", views.login, name="account_login"),
    path("login/", views.login, name="account_signup"),
    path("login/", views.login, name="socialaccount_signup"),
    path("login/closed/", views.account_inactive, name="account_inactive"),
    path("login/cancelled/", told(template_name="socialaccount/login_cancelled.html"), name="socialaccount_login_cancelled"),
    path("logout/", views.LogoutView.as_view(http_method_names=["post"]), name="logout"),
    path("password/", views.password_reset, name="account_reset_password"),
    path("password/sent/", views.password_reset_done, name="account_reset_password_done"),
    re_path("^password/new/(?P<uidb36>[0-9A-Za-z]+)-(?P<key>[^/]+)/$", views.password_reset_from_key, name="account_reset_password_from_key"),
    path("password/changed/", views.password_reset_from_key_done, name="account_reset_password_from_key_done"),
    path("oidc/<slug:provider_id>/login/", openid.login, name="openid_connect_login"),
    path("oidc/<slug:provider_id>/login/callback/", openid.callback, name="openid_connect_callback"),
]
