"""The door: who is not on the annotator's own page gets in nowhere and changes nothing."""

from __future__ import annotations

from urllib.parse import urlencode

import pytest
from annotate_kit import HOST, PORT, drafts, log_rows, open_browser
from hypothesis import given
from hypothesis import strategies as st

from alifba.annotate.guard import BODY_LIMIT

PATHS = ["/", "/list", "/item/1", "/item/1/edit", "/static/app.js", "/nothing"]


@pytest.fixture
def browser(tmp_path):
    return open_browser(tmp_path, drafts(3))


@pytest.fixture(scope="module")
def one_browser(tmp_path_factory):
    return open_browser(tmp_path_factory.mktemp("project"), drafts(1))


def accept_form(browser):
    form = browser.get("/item/1").form(decision="accept")
    return form.action, urlencode(form.fields | {"decision": "accept"}).encode()


@pytest.mark.parametrize("path", PATHS)
def test_without_the_session_s_cookie_nothing_is_shown(browser, path):
    for cookies in ({}, {f"alifba_{PORT}": "guess"}, {f"alifba_{PORT}": browser.session.token}):
        browser.cookies = cookies
        page = browser.send("GET", path)
        assert page.status == 403
        assert "paytaxtı" not in page.text
        assert browser.session.csrf not in page.text


@pytest.mark.parametrize("token", ["", "guess", "ə", "%ff", "a" * 5000])
def test_a_wrong_token_sets_no_cookie(browser, token):
    browser.cookies = {}
    page = browser.send("GET", f"/?token={token}")
    assert page.status == 403
    assert page.cookies == []


def test_the_token_becomes_a_cookie_that_scripts_and_other_sites_do_not_get(browser):
    browser.cookies = {}
    page = browser.send("GET", f"/item/2?category=world&token={browser.session.token}")
    assert (page.status, page.headers["location"]) == (303, "/item/2?category=world")
    (cookie,) = page.cookies
    assert browser.session.token not in cookie
    assert {"HttpOnly", "SameSite=strict", "Path=/"} <= {part.strip() for part in cookie.split(";")}
    assert browser.get("/item/2").status == 200


@pytest.mark.parametrize("path", ["//evil.example/", "/\\evil.example/", "///evil.example"])
def test_the_token_leads_to_no_other_host(browser, path):
    page = browser.send("GET", f"{path}?token={browser.session.token}")
    assert page.headers["location"].lstrip("/\\") == page.headers["location"][1:]


@pytest.mark.parametrize(
    "host",
    [None, "", "evil.example", f"evil.example:{PORT}", "127.0.0.1", f"127.0.0.1:{PORT + 1}", f"127.0.0.1.evil:{PORT}"],
)
def test_a_foreign_host_is_refused_even_with_token_and_cookie(browser, host):
    action, body = accept_form(browser)
    assert browser.send("GET", f"/?token={browser.session.token}", host=host).status == 403
    assert browser.send("GET", "/item/1", host=host).status == 403
    assert browser.send("POST", action, body, host=host).status == 403
    assert log_rows(browser) == []


def test_localhost_is_the_same_server(browser):
    assert browser.send("GET", "/item/1", host=f"LocalHost:{PORT}").status == 200


@pytest.mark.parametrize(
    "origin", [None, "", "null", "http://evil.example", f"https://{HOST}", "http://127.0.0.1", f"http://{HOST}.evil"]
)
def test_a_post_from_another_origin_is_refused(browser, origin):
    action, body = accept_form(browser)
    assert browser.send("POST", action, body, origin=origin).status == 403
    assert log_rows(browser) == []
    assert browser.send("POST", action, body).status == 303


@pytest.mark.parametrize("csrf", [None, "", "guess", "ə"])
def test_a_post_without_the_token_of_its_form_is_refused(browser, csrf):
    fields = browser.get("/item/1").form(decision="accept").fields | {"decision": "accept", "csrf": csrf}
    body = urlencode({name: value for name, value in fields.items() if value is not None}).encode()
    assert browser.send("POST", "/item/1", body).status == 403
    assert log_rows(browser) == []


@pytest.mark.parametrize("kind", ["text/plain", "multipart/form-data; boundary=x", "application/json", None])
def test_only_plain_forms_are_read(browser, kind):
    action, body = accept_form(browser)
    assert browser.send("POST", action, body, content_type=kind).status == 415
    assert log_rows(browser) == []


def test_an_oversized_post_is_refused_by_its_length_and_by_what_comes(browser):
    action, body = accept_form(browser)
    long = body + b"&note=" + b"x" * BODY_LIMIT
    assert browser.send("POST", action, body, content_length=str(BODY_LIMIT + 1)).status == 413
    assert browser.send("POST", action, body, content_length="many").status == 413
    # A body in pieces that does not say how long it is.
    assert browser.send("POST", action, (long[i : i + 5000] for i in range(0, len(long), 5000))).status == 413
    assert log_rows(browser) == []


@pytest.mark.parametrize("body", [b"csrf=%ff", "csrf=ə".encode(), b"&".join([b"a=1"] * 500)])
def test_a_body_that_is_no_form_is_refused(browser, body):
    assert browser.send("POST", "/item/1", body).status == 400


@pytest.mark.parametrize("method", ["PUT", "DELETE", "OPTIONS", "PATCH", "TRACE", "BREW"])
def test_other_methods_are_refused(browser, method):
    assert browser.send(method, "/item/1").status == 405


@pytest.mark.parametrize(
    "path",
    [
        "/static/../guard.py",
        "/static/%2e%2e/guard.py",
        "/static/..%2f..%2fguard.py",
        "/static/strings.toml",
        "/static/item.html",
        "/static//etc/passwd",
        "/static/app.js/",
        "/../../etc/passwd",
        "/item/0",
        "/item/4",
        "/item/-1",
        "/item/1e1",
        "/item/99999999999999999999999",
    ],
)
def test_no_path_leads_out(browser, path):
    page = browser.send("GET", path)
    assert page.status in (307, 404)
    assert "passwd" not in page.text
    assert page.headers.get("location", f"http://{HOST}/").startswith(f"http://{HOST}/")


@pytest.mark.parametrize(("path", "status"), [("/item/1", 200), ("/", 303), ("/nothing", 404), ("/static/app.js", 200)])
def test_every_answer_forbids_what_the_pages_do_not_need(browser, path, status):
    page = browser.send("GET", path)
    assert page.status == status
    policy = dict(part.strip().split(" ", 1) for part in page.headers["content-security-policy"].split(";"))
    assert policy == {
        "default-src": "'none'",
        "script-src": "'self'",
        "style-src": "'self'",
        "form-action": "'self'",
        "frame-ancestors": "'none'",
        "base-uri": "'none'",
    }
    assert page.headers["x-content-type-options"] == "nosniff"
    assert page.headers["cache-control"] == "no-store"
    assert page.headers["referrer-policy"] == "same-origin"


def test_a_refusal_is_guarded_too(browser):
    browser.cookies = {}
    assert "content-security-policy" in browser.send("GET", "/").headers


def test_pages_hold_no_script_or_style_of_their_own_and_load_nothing_from_elsewhere(browser):
    for path in ("/item/1", "/item/1/edit", "/list"):
        page = browser.get(path)
        assert "<style" not in page.text
        assert page.text.count("<script") == page.text.count('<script src="/static/app.js"') == 1
        names = {name for name, _ in page.attributes}
        assert not {name for name in names if name == "style" or name.startswith("on")}
        addresses = [value for name, value in page.attributes if name in ("src", "href", "action")]
        assert len(addresses) > 5
        assert [value for value in addresses if not value.startswith("/") or value.startswith("//")] == []


@given(st.binary(max_size=60), st.sampled_from(["cookie", "origin", "content-type", "accept-language"]))
def test_no_header_breaks_the_door(one_browser, value, name):
    page = one_browser.send("POST", "/item/1", b"csrf=x", **{name.replace("-", "_"): value.decode("latin-1")})
    assert page.status in (400, 403, 415)
    assert log_rows(one_browser) == []
