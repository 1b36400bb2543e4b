"""The official Python client against the server of KUBECONFIG: typed calls, watches, the dynamic client, exec, leader election's lease."""

import base64
import sys

from kubernetes import client, config, dynamic, utils, watch
from kubernetes.client.rest import ApiException
from kubernetes.dynamic.exceptions import ConflictError
from kubernetes.stream import stream

namespace, image = sys.argv[1], sys.argv[2]
config.load_kube_config()
core = client.CoreV1Api()


def ok(what: str) -> None:
    print("ok:", what, flush=True)


def typed() -> None:
    core.create_namespaced_secret(namespace, {"metadata": {"name": "s"}, "stringData": {"a": "b"}})
    secret = core.read_namespaced_secret("s", namespace)
    assert base64.b64decode(secret.data["a"]) == b"b"
    secret.metadata.labels = {"x": "y"}
    core.replace_namespaced_secret("s", namespace, secret)
    patched = core.patch_namespaced_secret("s", namespace, {"stringData": {"a": "c"}})
    assert base64.b64decode(patched.data["a"]) == b"c"
    assert [s.metadata.name for s in core.list_namespaced_secret(namespace, label_selector="x=y").items] == ["s"]
    core.delete_namespaced_secret("s", namespace)
    try:
        core.read_namespaced_secret("s", namespace)
        raise AssertionError("still there")
    except ApiException as error:
        assert error.status == 404, error
    ok("typed")


def watched() -> None:
    for n in range(3):
        core.create_namespaced_config_map(namespace, {"metadata": {"name": f"w{n}", "labels": {"watched": "yes"}}})
    listed = core.list_namespaced_config_map(namespace, label_selector="watched=yes")
    for n in range(3):
        core.delete_namespaced_config_map(f"w{n}", namespace)
    seen = []
    watcher = watch.Watch()
    for event in watcher.stream(
        core.list_namespaced_config_map,
        namespace,
        label_selector="watched=yes",
        resource_version=listed.metadata.resource_version,
        timeout_seconds=20,
    ):
        seen.append((event["type"], event["object"].metadata.name))
        if len(seen) == 3:
            watcher.stop()
    assert seen == [("DELETED", f"w{n}") for n in range(3)], seen
    ok("watch")


def dynamically() -> None:
    maps = dynamic.DynamicClient(client.ApiClient()).resources.get(api_version="v1", kind="ConfigMap")

    def body(value: str) -> dict:
        return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "applied", "namespace": namespace}, "data": {"k": value}}

    maps.server_side_apply(body=body("1"), field_manager="one")
    try:
        maps.server_side_apply(body=body("2"), field_manager="two")
        raise AssertionError("no conflict")
    except ConflictError:
        pass
    assert maps.server_side_apply(body=body("2"), field_manager="two", force_conflicts=True).data.k == "2"
    ok("dynamic")


def from_yaml() -> None:
    deployment = {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": "d"},
        "spec": {
            "replicas": 1,
            "selector": {"matchLabels": {"app": "d"}},
            "template": {
                "metadata": {"labels": {"app": "d"}},
                "spec": {"terminationGracePeriodSeconds": 0, "containers": [{"name": "c", "image": image, "command": ["sleep", "3600"]}]},
            },
        },
    }
    utils.create_from_dict(client.ApiClient(), deployment, namespace=namespace)
    watcher = watch.Watch()
    for event in watcher.stream(client.AppsV1Api().list_namespaced_deployment, namespace, timeout_seconds=60):
        if event["object"].status.ready_replicas == 1:
            watcher.stop()
    pod = core.list_namespaced_pod(namespace, label_selector="app=d").items[0].metadata.name
    said = stream(
        core.connect_get_namespaced_pod_exec, pod, namespace, command=["echo", "from python"], stdout=True, stderr=True, stdin=False, tty=False
    )
    assert said == "from python\n", said
    scale = client.AppsV1Api().patch_namespaced_deployment_scale("d", namespace, {"spec": {"replicas": 0}})
    assert scale.spec.replicas in (0, None), scale
    ok("workload")


typed()
watched()
dynamically()
from_yaml()
