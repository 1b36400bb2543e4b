/** helm: a chart with a CRD, an object of it, a webhook and a Deployment, installed, upgraded, rolled back and uninstalled. */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { ApiextensionsV1Api, AppsV1Api, CoreV1Api } from '@kubernetes/client-node';
import { must, run } from '../../tools/command.ts';
import { eventually } from '../../tools/eventually.ts';
import { helm } from '../../tools/helm.ts';
import { gone, refusal } from '../refusals.ts';
import { deny, startHooks } from '../hooks.ts';
import { behaves } from '../suite.ts';

const chart = (group: string, image: string): Record<string, string> => ({
	'Chart.yaml': 'apiVersion: v2\nname: thing\nversion: 1.0.0\nappVersion: "1"\n',
	'values.yaml': `replicas: 1\ncolour: blue\nimage: ${image}\nhook: {}\n`,
	'crds/colours.yaml': `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: colours.${group}}
spec:
  group: ${group}
  scope: Namespaced
  names: {plural: colours, singular: colour, kind: Colour, listKind: ColourList}
  versions:
  - name: v1
    served: true
    storage: true
    schema: {openAPIV3Schema: {type: object, properties: {spec: {type: object, properties: {name: {type: string, enum: [blue, red]}}}}}}
`,
	'templates/colour.yaml': `apiVersion: ${group}/v1
kind: Colour
metadata: {name: "{{ .Release.Name }}"}
spec: {name: "{{ .Values.colour }}"}
`,
	'templates/webhook.yaml': `apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingWebhookConfiguration
metadata: {name: "{{ .Release.Namespace }}-helm"}
webhooks:
- name: maps.kubeling.test
  admissionReviewVersions: [v1]
  sideEffects: None
  namespaceSelector: {matchLabels: {kubernetes.io/metadata.name: "{{ .Release.Namespace }}"}}
  clientConfig: {{ toJson .Values.hook }}
  rules: [{apiGroups: [""], apiVersions: [v1], operations: [CREATE], resources: [configmaps], scope: Namespaced}]
`,
	'templates/deployment.yaml': `apiVersion: apps/v1
kind: Deployment
metadata: {name: "{{ .Release.Name }}"}
spec:
  replicas: {{ .Values.replicas }}
  selector: {matchLabels: {app: "{{ .Release.Name }}"}}
  template:
    metadata: {labels: {app: "{{ .Release.Name }}"}}
    spec:
      terminationGracePeriodSeconds: 0
      containers: [{name: c, image: "{{ .Values.image }}", command: [sleep, "3600"]}]
`,
	'templates/tests/test.yaml': `apiVersion: v1
kind: Pod
metadata: {name: "{{ .Release.Name }}-test", annotations: {helm.sh/hook: test, helm.sh/hook-delete-policy: hook-succeeded}}
spec: {restartPolicy: Never, containers: [{name: c, image: "{{ .Values.image }}", command: ["true"]}]}
`,
});

behaves('helm: install, test, upgrade, rollback and uninstall of a chart with a CRD and a webhook', async (world) => {
	const { t, api, namespace, env, image } = world;
	const group = `${namespace}.kubeling.test`;
	const dir = await mkdtemp(join(tmpdir(), 'kubeling-helm-'));
	t.teardown(() => rm(dir, { recursive: true, force: true }));
	for (const [path, text] of Object.entries(chart(group, image))) {
		await mkdir(dirname(join(dir, path)), { recursive: true });
		await writeFile(join(dir, path), text);
	}
	const hooks = await startHooks(world, { '/maps': ({ name }) => (name === 'unwanted' ? deny('unwanted') : {}) });
	await writeFile(join(dir, 'hook.json'), JSON.stringify({ hook: hooks.client('/maps') }));
	const binary = await helm();
	const options = { env: { ...env, HELM_CACHE_HOME: dir, HELM_CONFIG_HOME: dir, HELM_DATA_HOME: dir }, timeoutMs: 120_000 };
	const h = (...args: readonly string[]): Promise<string> => must(binary, ['--namespace', namespace, ...args], options);
	const values = ['-f', join(dir, 'hook.json'), '--wait', '--timeout', '110s'];
	const state = async (): Promise<unknown> => {
		const { spec, status } = await api(AppsV1Api).readNamespacedDeployment({ namespace, name: 'r' });
		const colour = (await world.raw('GET', `/apis/${group}/v1/namespaces/${namespace}/colours/r`)).json<{ spec: { name: string } }>();
		return [spec?.replicas, status?.readyReplicas, colour.spec.name];
	};
	t.teardown(() => api(ApiextensionsV1Api).deleteCustomResourceDefinition({ name: `colours.${group}` }));

	t.regex(await h('install', 'r', dir, ...values), /STATUS: deployed/);
	t.deepEqual(await state(), [1, 1, 'blue']);
	const map = api(CoreV1Api).createNamespacedConfigMap({ namespace, body: { metadata: { name: 'unwanted' } } });
	t.regex((await refusal(map)).message, /denied the request: unwanted/);
	t.regex(await h('test', 'r'), /Phase:\s+Succeeded/);

	await h('upgrade', 'r', dir, ...values, '--set', 'replicas=2,colour=red');
	t.deepEqual(await state(), [2, 2, 'red']);
	const bad = await run(binary, ['--namespace', namespace, 'upgrade', 'r', dir, ...values, '--set', 'colour=green'], options);
	t.is(bad.code, 1);
	t.regex(bad.stderr, /Unsupported value: "green": supported values: "blue", "red"/);
	await h('rollback', 'r', '1', '--wait', '--timeout', '110s');
	// It waits for as many as are wanted, not until the others are gone.
	await eventually('one is left', async () => isDeepStrictEqual(await state(), [1, 1, 'blue']));
	const history = JSON.parse(await h('history', 'r', '-o', 'json')) as { revision: number; status: string }[];
	t.deepEqual(
		history.map((r) => r.status),
		['superseded', 'superseded', 'failed', 'deployed'],
	);
	t.regex(await h('list'), /r\s+\S+\s+4\s+.*deployed/);
	await h('uninstall', 'r', '--wait', '--timeout', '110s');
	t.true(await gone(api(AppsV1Api).readNamespacedDeployment({ namespace, name: 'r' })));
	t.false(await gone(api(ApiextensionsV1Api).readCustomResourceDefinition({ name: `colours.${group}` }))); // helm keeps definitions
});
