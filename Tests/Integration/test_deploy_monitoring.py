"""The relay's metrics, their documentation page, and what deploy/ builds on them: alert rules, a scrape configuration, a dashboard."""

import contextlib
import json
import re
import shutil
import subprocess
import time
import urllib.parse
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from deploy_files import DEPLOY, METRIC, documents, promtool
from proxies import SERVERS
from relay import ROOT, free_port
from waits import patient, wait_until

PAGE = ROOT / "Sources/HeliographServer/HeliographServer.docc/Metrics.md"
RULES = DEPLOY / "prometheus/heliograph.rules.yml"
SCRAPE = DEPLOY / "prometheus/prometheus.yml"
DASHBOARD = json.loads((DEPLOY / "grafana/heliograph.json").read_text())
PARTS = re.compile(r"_(bucket|sum|count)$")
"""Series of a histogram, each with its own name."""
LATER = {
    "heliograph_pushes_answered_total", "heliograph_tls_certificate_expires_timestamp_seconds",
    "heliograph_database_synchronous", "heliograph_database_standbys_in_sync", "heliograph_database_standbys_needed",
}
"""Metrics that exist only after the first push, with TLS, or with data in a database."""
GRAFANA = {"$__rate_interval": "1m", "$__range": "6h", "$instance": ".*"}
"""Example values for the variables that Grafana puts into a query."""


def explained() -> dict[str, str]:
    """The documented metrics with their types."""
    rows = re.findall(r"^\| `(heliograph_\w+)` \| (\w+) \|", PAGE.read_text(), re.MULTILINE)
    assert len(rows) == len(dict(rows)), "a name is explained twice"
    return dict(rows)


def queries() -> list[str]:
    """The dashboard's queries in the form that Grafana sends."""
    made = []
    for panel in DASHBOARD["panels"]:
        for target in panel.get("targets", []):
            text = target["expr"]
            for name, value in GRAFANA.items():
                text = text.replace(name, value)
            made.append(text)
    return made


def names_in(text: str) -> set[str]:
    known = explained()
    return {name if name in known else PARTS.sub("", name) for name in METRIC.findall(text)}



def test_the_page_explains_what_the_sources_make() -> None:
    made = set()
    for path in (ROOT / "Sources").rglob("*.swift"):
        made |= set(re.findall(r'label: "(heliograph_\w+)"', path.read_text()))
    assert made == set(explained())


def test_the_page_explains_what_the_relay_says(relay: Any) -> None:
    said = dict(re.findall(r"^# TYPE (\w+) (\w+)$", relay.get("/metrics").body.decode(), re.MULTILINE))
    assert said == {name: kind for name, kind in explained().items() if name not in LATER}


def test_every_figure_says_what_it_is(relay: Any) -> None:
    text = relay.get("/metrics").body.decode()
    said = re.findall(r"^# HELP (\w+) [A-Z0-9][^\\\n]+\.\n# TYPE (\w+) ", text, re.MULTILINE)
    assert [name for name, _ in said] == [name for _, name in said] == re.findall(r"^# TYPE (\w+)", text, re.MULTILINE)
    help = (ROOT / "Sources/HeliographServer/Observability/MetricHelp.swift").read_text()
    assert set(re.findall(r'^        "(heliograph_\w+)":', help, re.MULTILINE)) == set(explained())


def test_the_gauges_are_those_of_the_relay(relay: Any, scripted_host: Any) -> None:
    assert relay.metric("heliograph_sessions") == 0 and relay.metric("heliograph_store_takes_writes") == 1
    assert relay.metric('heliograph_build_info{version="0.1.0"}') == 1
    assert abs(time.time() - relay.metric("heliograph_start_time_seconds")) < patient(60)
    host = scripted_host(relay, name="laptop")
    host.start_session("s1")
    approval = host.request_approval("s1", "Bash", {"command": "make"})
    host.wait_acked("s1")
    assert (relay.metric("heliograph_sessions"), relay.metric("heliograph_approvals_open")) == (1, 1)
    host.event("s1", "approval.cancelled", {"approval": approval, "reason": "deniedLocally"})
    host.wait_acked("s1")
    assert relay.metric("heliograph_approvals_open") == 0
    assert relay.metric("heliograph_data_bytes") >= (relay.data / "heliograph.sqlite").stat().st_size > 0


def test_what_deploy_asks_for_is_explained() -> None:
    rules = documents(RULES)[0]["groups"][0]["rules"]
    for text in [*(rule["expr"] for rule in rules), *queries(), json.dumps(DASHBOARD["templating"])]:
        assert names_in(text) <= set(explained()) and "${" not in text.replace("${datasource}", ""), text



def test_the_rules_load_and_fire_when_they_should(tmp_path: Path) -> None:
    for path in (RULES, SCRAPE, Path(__file__).parent / "alerts.test.yml"):
        shutil.copy(path, tmp_path)
    checked = promtool("check", "config", tmp_path / SCRAPE.name)
    assert checked.returncode == 0, checked.stdout + checked.stderr
    tested = promtool("test", "rules", tmp_path / "alerts.test.yml")
    assert tested.returncode == 0, tested.stdout + tested.stderr


def test_every_alert_is_tested_and_says_what_to_do() -> None:
    (tests,) = documents(Path(__file__).parent / "alerts.test.yml")
    fired = {re.search(r'"(\w+)"', sample["labels"])[1] for test in tests["tests"] for one in test["promql_expr_test"] for sample in one["exp_samples"]}
    rules = documents(RULES)[0]["groups"][0]["rules"]
    assert fired == {rule["alert"] for rule in rules}
    for rule in rules:
        assert rule["labels"]["severity"] in ("page", "ticket") and rule["annotations"].keys() == {"summary", "description"}



def test_the_dashboard_is_whole() -> None:
    """Checks Grafana's requirements for importing the dashboard without a Grafana: panels do not overlap, data sources exist, queries parse."""
    panels = DASHBOARD["panels"]
    assert DASHBOARD["uid"] and DASHBOARD["schemaVersion"] >= 36 and len({panel["id"] for panel in panels}) == len(panels)
    variables = {variable["name"] for variable in DASHBOARD["templating"]["list"]}
    taken: set[tuple[int, int]] = set()
    for panel in panels:
        place = panel["gridPos"]
        cells = {(x, y) for x in range(place["x"], place["x"] + place["w"]) for y in range(place["y"], place["y"] + place["h"])}
        assert not cells & taken and max(x for x, _ in cells) < 24, panel["title"]
        taken |= cells
        for target in panel.get("targets", []):
            assert target["datasource"] == panel["datasource"] == {"type": "prometheus", "uid": "${datasource}"}
            used = set(re.findall(r"\$(\w+)", target["expr"])) - {"__rate_interval", "__range"}
            assert used <= variables, panel["title"]
    assert {"timeseries", "stat", "row"} >= {panel["type"] for panel in panels}



@pytest.fixture
def prometheus(relay: Any, tmp_path: Path) -> Iterator[str]:
    """Starts Debian's Prometheus with the files of deploy/ for this relay; returns its address."""
    for path in (RULES, SCRAPE):
        shutil.copy(path, tmp_path)
    configuration = tmp_path / SCRAPE.name
    settings = yaml.safe_load(configuration.read_text())
    (job,) = settings["scrape_configs"]
    assert job["static_configs"] == [{"targets": ["127.0.0.1:8787"]}]
    job["static_configs"] = [{"targets": [f"127.0.0.1:{relay.port}"]}]
    configuration.write_text(yaml.safe_dump({"global": {"scrape_interval": "1s", "scrape_timeout": "1s", "evaluation_interval": "1s"}, **settings}))
    port = free_port()
    command = [SERVERS / "usr/bin/prometheus", f"--config.file={configuration}", f"--storage.tsdb.path={tmp_path / 'tsdb'}", f"--web.listen-address=127.0.0.1:{port}"]
    log = tmp_path / "prometheus.log"
    with log.open("wb") as output:
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=output, stderr=output, cwd=tmp_path)
    try:
        url = f"http://127.0.0.1:{port}"
        wait_until(lambda: process.poll() is not None or is_ready(url), 60, lambda: f"Prometheus to be ready. It said:\n{log.read_text()}")
        assert process.poll() is None, log.read_text()
        yield url
    finally:
        process.terminate()
        process.wait(patient(30))


def is_ready(url: str) -> bool:
    with contextlib.suppress(OSError), urllib.request.urlopen(f"{url}/-/ready", timeout=patient(5)) as answer:
        return answer.status == 200
    return False


def ask(url: str, query: str) -> list[dict[str, Any]]:
    with urllib.request.urlopen(f"{url}/api/v1/query?{urllib.parse.urlencode({'query': query})}", timeout=patient(10)) as answer:
        return json.load(answer)["data"]["result"]


def test_prometheus_reads_the_relay_and_answers_the_dashboard(prometheus: str, scripted_host: Any) -> None:
    host = scripted_host()
    host.start_session("s1")
    host.wait_acked("s1")
    wait_until(lambda: [one["value"][1] for one in ask(prometheus, 'up{job="heliograph"}')] == ["1"], 60, "a scrape of the relay")
    # A rate needs two scrapes.
    wait_until(lambda: ask(prometheus, "rate(heliograph_commit_seconds_count[1m])"), 60, "a second scrape")
    silent = [query for query in queries() if not ask(prometheus, query) and not names_in(query) & LATER]
    assert not silent, "these queries of the dashboard have no answer"
    with urllib.request.urlopen(f"{prometheus}/api/v1/rules", timeout=patient(10)) as answer:
        (group,) = json.load(answer)["data"]["groups"]
    assert group["rules"] and all(rule["health"] != "err" for rule in group["rules"])
