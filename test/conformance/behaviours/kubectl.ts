/** [sig-cli] Kubectl client: what the newest kubectl does with objects. */
import { AppsV1Api, CoreV1Api } from '@kubernetes/client-node';
import { eventually } from '../../tools/eventually.ts';
import { gone } from '../refusals.ts';
import { conformance, type World } from '../suite.ts';

/** A manifest on standard input. */
const manifest = (object: object): { input: string } => ({ input: JSON.stringify(object) });

function controller(image: string, name: string, replicas: number, command = ['httpd', '-f', '-p', '80', '-h', '/var/www']): object {
	const labels = { app: name };
	const spec = { terminationGracePeriodSeconds: 0, containers: [{ name: 'c', image, command, ports: [{ containerPort: 80 }] }] };
	return {
		apiVersion: 'v1',
		kind: 'ReplicationController',
		metadata: { name, labels },
		spec: { replicas, selector: labels, template: { metadata: { labels }, spec } },
	};
}

/** The names of its running pods, once there are that many. */
const pods = ({ k }: World, app: string, count: number): Promise<string[]> =>
	eventually(`${count} pods of ${app} run`, async () => {
		const template = '{{range .items}}{{if eq .status.phase "Running"}}{{.metadata.name}} {{end}}{{end}}';
		const names = (await k.must(['get', 'pods', '-l', `app=${app}`, '-o', `go-template=${template}`]))
			.trim()
			.split(' ')
			.filter((n) => n !== '');
		return names.length === count && names;
	});

async function sleeping({ k, image }: World, name: string): Promise<void> {
	await k.must(['run', name, `--image=${image}`, '--restart=Never', '--', 'sleep', '3600']);
	await k.must(['wait', '--for=condition=Ready', `pod/${name}`, '--timeout=110s']);
}

conformance('[sig-cli] Kubectl client Update Demo should create and stop a replication controller [Conformance]', async (world) => {
	const { k, image, t, api, namespace } = world;
	await k.must(['create', '-f', '-'], manifest(controller(image, 'update-demo', 2)));
	t.is((await pods(world, 'update-demo', 2)).length, 2);
	await k.must(['delete', '--grace-period=0', '--force', '-f', '-'], manifest(controller(image, 'update-demo', 2)));
	await eventually('the controller is gone', () =>
		gone(api(CoreV1Api).readNamespacedReplicationController({ namespace, name: 'update-demo' })),
	);
	await eventually('its pods are gone', async () => (await api(CoreV1Api).listNamespacedPod({ namespace })).items.length === 0);
});

conformance('[sig-cli] Kubectl client Update Demo should scale a replication controller [Conformance]', async (world) => {
	const { k, image, t } = world;
	await k.must(['create', '-f', '-'], manifest(controller(image, 'update-demo', 2)));
	await pods(world, 'update-demo', 2);
	for (const replicas of [1, 2]) {
		t.regex(
			await k.must(['scale', 'rc', 'update-demo', `--replicas=${replicas}`, '--timeout=110s']),
			/replicationcontroller\/update-demo scaled/,
		);
		t.is((await pods(world, 'update-demo', replicas)).length, replicas);
	}
});

conformance(
	'[sig-cli] Kubectl client Kubectl api-versions should check if v1 is in available api versions [Conformance]',
	async ({ k, t }) => {
		t.true((await k.must(['api-versions'])).split('\n').includes('v1'));
	},
);

conformance(
	'[sig-cli] Kubectl client Kubectl cluster-info should check if Kubernetes control plane services is included in cluster-info [Conformance]',
	async ({ k, t, config }) => {
		const text = await k.must(['cluster-info']);
		t.true(text.includes('Kubernetes control plane'));
		t.true(text.includes(config.getCurrentCluster()?.server ?? '-'));
	},
);

conformance('[sig-cli] Kubectl client Kubectl version should check is all data is printed [Conformance]', async ({ k, t }) => {
	const text = await k.must(['version']);
	for (const line of [/^Client Version: v\d/m, /^Kustomize Version: v\d/m, /^Server Version: v\d/m]) t.regex(text, line);
	const { serverVersion } = JSON.parse(await k.must(['version', '-o', 'json'])) as { serverVersion: Record<string, string> };
	for (const field of ['major', 'minor', 'gitVersion', 'gitCommit', 'gitTreeState', 'buildDate', 'goVersion', 'compiler', 'platform'])
		t.true(field in serverVersion, field);
});

conformance(
	'[sig-cli] Kubectl client Kubectl describe should check if kubectl describe prints relevant information for rc and pods [Conformance]',
	async (world) => {
		const { k, image, namespace, t } = world;
		await k.must(['create', '-f', '-'], manifest(controller(image, 'primary', 1)));
		await k.must(['expose', 'rc', 'primary', '--port=80', '--target-port=80']);
		const [pod = ''] = await pods(world, 'primary', 1);
		const says = async (what: readonly string[], ...lines: readonly RegExp[]): Promise<void> => {
			let text = '';
			// Endpoints and events come after the pod runs.
			await eventually(
				() => `${what.join(' ')} tells all; it tells: ${text}`,
				async () => {
					text = await k.must(['describe', ...what]);
					return lines.every((line) => line.test(text));
				},
			);
			t.pass();
		};
		await says(
			['pod', pod],
			/Name:\s+primary-/,
			new RegExp(`Namespace:\\s+${namespace}`),
			/Node:\s+\S+/,
			/Labels:\s+app=primary/,
			/Status:\s+Running/,
			/IP:\s+\d/,
			/Controlled By:\s+ReplicationController\/primary/,
			/Image:\s+\S+busybox/,
			/State:\s+Running/,
			/QoS Class:\s+BestEffort/,
		);
		await says(
			['rc', 'primary'],
			/Name:\s+primary/,
			/Selector:\s+app=primary/,
			/Replicas:\s+1 current \/ 1 desired/,
			/Pods Status:\s+1 Running \/ 0 Waiting \/ 0 Succeeded \/ 0 Failed/,
			/Pod Template:/,
			/SuccessfulCreate\s.*Created pod: primary-/,
		);
		await says(
			['service', 'primary'],
			/Name:\s+primary/,
			/Labels:\s+app=primary/,
			/Selector:\s+app=primary/,
			/Type:\s+ClusterIP/,
			/IP:\s+\d/,
			/Port:\s+<unset>\s+80\/TCP/,
			/Endpoints:\s+\d+\.\d+\.\d+\.\d+:80/,
			/Session Affinity:\s+None/,
		);
		const node = (await k.must(['get', 'pod', pod, '-o', 'jsonpath={.spec.nodeName}'])).trim();
		await says(['node', node], /Conditions:/, /Capacity:/, /Allocatable:/, /Kubelet Version:/, /Non-terminated Pods:/);
		await says(['namespace', namespace], new RegExp(`Name:\\s+${namespace}`), /Status:\s+Active/);
	},
);

conformance('[sig-cli] Kubectl client Kubectl expose should create services for rc [Conformance]', async (world) => {
	const { k, image, t, api, namespace } = world;
	await k.must(['create', '-f', '-'], manifest(controller(image, 'primary', 1)));
	await pods(world, 'primary', 1);
	for (const [args, port] of [
		[['expose', 'rc', 'primary', '--name=rm2', '--port=1234', '--target-port=80'], 1234],
		[['expose', 'service', 'rm2', '--name=rm3', '--port=2345', '--target-port=80'], 2345],
	] as const) {
		await k.must(args);
		const name = port === 1234 ? 'rm2' : 'rm3';
		const { spec } = await api(CoreV1Api).readNamespacedService({ namespace, name });
		t.deepEqual([spec?.ports?.[0]?.port, spec?.ports?.[0]?.targetPort, { ...spec?.selector }], [port, 80, { app: 'primary' }]);
		await eventually(`${name} has an endpoint`, async () => {
			// They are made after their Service.
			const { items } = await api(CoreV1Api).listNamespacedEndpoints({ namespace, fieldSelector: `metadata.name=${name}` });
			const subset = items[0]?.subsets?.[0];
			return subset?.addresses?.length === 1 && subset.ports?.[0]?.port === 80;
		});
	}
});

conformance('[sig-cli] Kubectl client Kubectl label should update the label on a resource [Conformance]', async (world) => {
	const { k, t } = world;
	await sleeping(world, 'pause');
	await k.must(['label', 'pods', 'pause', 'testing-label=testing-label-value']);
	t.regex(await k.must(['get', 'pod', 'pause', '-L', 'testing-label']), /testing-label-value/i);
	await k.must(['label', 'pods', 'pause', 'testing-label-']);
	t.notRegex(await k.must(['get', 'pod', 'pause', '-L', 'testing-label']), /testing-label-value/);
});

conformance('[sig-cli] Kubectl client Kubectl patch should add annotations for pods in rc [Conformance]', async (world) => {
	const { k, image, t } = world;
	await k.must(['create', '-f', '-'], manifest(controller(image, 'primary', 1)));
	const [pod = ''] = await pods(world, 'primary', 1);
	await k.must(['patch', 'pod', pod, '-p', '{"metadata":{"annotations":{"x":"y"}}}']);
	t.is(await k.must(['get', 'pod', pod, '-o', 'jsonpath={.metadata.annotations.x}']), 'y');
});

conformance(
	'[sig-cli] Kubectl client Kubectl run pod should create a pod from an image when restart is Never [Conformance]',
	async (world) => {
		const { k, image, t } = world;
		await k.must(['run', 'e2e-test-pod', '--restart=Never', '--pod-running-timeout=2m', `--image=${image}`, '--', 'sleep', '3600']);
		const got = JSON.parse(await k.must(['get', 'pod', 'e2e-test-pod', '-o', 'json'])) as {
			spec: { containers: { image: string }[]; restartPolicy: string };
		};
		t.deepEqual([got.spec.containers[0]?.image, got.spec.restartPolicy], [image, 'Never']);
	},
);

conformance("[sig-cli] Kubectl client Kubectl replace should update a single-container pod's image [Conformance]", async (world) => {
	const { k, image, t } = world;
	await sleeping(world, 'pod');
	const other = image.replace(/:.*/, ':none');
	const pod = (await k.must(['get', 'pod', 'pod', '-o', 'json'])).replaceAll(image, other);
	t.regex(await k.must(['replace', '-f', '-'], { input: pod }), /pod\/pod replaced/);
	t.is(await k.must(['get', 'pod', 'pod', '-o', 'jsonpath={.spec.containers[0].image}']), other);
});

conformance(
	'[sig-cli] Kubectl client Kubectl server-side dry-run should check if kubectl can dry-run update Pods [Conformance]',
	async (world) => {
		const { k, image, t } = world;
		await sleeping(world, 'pod');
		const patch = `{"spec":{"containers":[{"name":"pod","image":"${image.replace(/:.*/, ':none')}"}]}}`;
		await k.must(['patch', 'pod', 'pod', '-p', patch, '--dry-run=server']);
		t.is(await k.must(['get', 'pod', 'pod', '-o', 'jsonpath={.spec.containers[0].image}']), image);
		await k.must(['create', 'configmap', 'never', '--dry-run=server']);
		t.is((await k.run(['get', 'configmap', 'never'])).code, 1);
	},
);

conformance(
	'[sig-cli] Kubectl client Kubectl diff should check if kubectl diff finds a difference for Deployments [Conformance]',
	async (world) => {
		const { k, image, t, api, namespace } = world;
		const deployment = (tag: string): object => ({
			apiVersion: 'apps/v1',
			kind: 'Deployment',
			metadata: { name: 'httpd' },
			spec: {
				replicas: 1,
				selector: { matchLabels: { app: 'httpd' } },
				template: {
					metadata: { labels: { app: 'httpd' } },
					spec: { terminationGracePeriodSeconds: 0, containers: [{ name: 'httpd', image: tag, command: ['sleep', '3600'] }] },
				},
			},
		});
		await k.must(['create', '--save-config', '-f', '-'], manifest(deployment(image)));
		await eventually('the deployment is rolled out', async () => {
			const { status } = await api(AppsV1Api).readNamespacedDeployment({ namespace, name: 'httpd' });
			return status?.availableReplicas === 1;
		});
		const { code, stdout } = await k.run(['diff', '-f', '-'], manifest(deployment('other:2')));
		t.is(code, 1);
		t.regex(stdout, /^-\s+- ?.*image: .*busybox|^-.*image: .*busybox/m);
		t.regex(stdout, /^\+.*image: other:2/m);
		// What controllers write between its two looks is a difference, too.
		await eventually('no difference', async () => (await k.run(['diff', '-f', '-'], manifest(deployment(image)))).code === 0);
	},
);

conformance('[sig-cli] Kubectl logs logs should be able to retrieve and filter logs [Conformance]', async (world) => {
	const { k, image, t } = world;
	const script = 'for i in $(seq 1 20); do echo "line $i of twenty"; done; sleep 3600';
	await k.must(['run', 'logs', `--image=${image}`, '--restart=Never', '--', 'sh', '-c', script]);
	await eventually('all is said', async () => (await k.run(['logs', 'logs'])).stdout.includes('line 20'));
	const lines = async (...flags: readonly string[]): Promise<string[]> =>
		(await k.must(['logs', 'logs', 'logs', ...flags])).split('\n').filter((line) => line !== '');
	t.deepEqual(await lines('--tail=1'), ['line 20 of twenty']);
	t.deepEqual(await lines('--limit-bytes=1'), ['l']);
	const [stamped = ''] = await lines('--tail=1', '--timestamps');
	t.regex(stamped, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d) line 20 of twenty$/);
	await new Promise((resolve) => setTimeout(resolve, 2500)); // what was said must be older than a second
	t.is((await lines('--since=1s')).length, 0);
	t.is((await lines('--since=24h')).length, 20);
});
