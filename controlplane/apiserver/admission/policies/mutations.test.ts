import test from 'ava';
import {
	CONFIG_MAPS,
	HORIZONTAL_POD_AUTOSCALERS,
	NAMESPACES,
	VALIDATING_ADMISSION_POLICIES,
	VALIDATING_ADMISSION_POLICY_BINDINGS,
} from '../../../../api/resources.ts';
import { policedServer, said } from '../../../../test/fakes/policed-server.ts';

const { client, bound } = await policedServer(test);

/** A namespace of its own with the mutation bound to it. */
const changing = (mutation: object, rule: object = {}): Promise<string> => bound('mutating', { mutations: [mutation] }, { rule });
const apply = (expression: string): object => ({ patchType: 'ApplyConfiguration', applyConfiguration: { expression } });
const patch = (operation: string): object => ({ patchType: 'JSONPatch', jsonPatch: { expression: `[JSONPatch{${operation}}]` } });

/** The code, and what comes after who says it. */
const saidOf = async (created: Promise<unknown>): Promise<string> => (await said(created)).replace(/ policy '.*' denied request: /, ' ');

for (const [mutation, want] of [
	[patch('op: "test", path: "/data/k", value: "other"'), 'ok'],
	[
		patch('op: "add", path: "/metadata/labels/x", value: "b"'),
		'403 JSON Patch: add operation does not apply: doc is missing path: "/metadata/labels/x": missing value',
	],
	[
		patch('op: "remove", path: "/data/zz"'),
		"403 JSON Patch: error in remove for path: '/data/zz': Unable to remove nonexistent key: zz: missing value",
	],
	[
		patch('op: "move", from: "/data/zz", path: "/data/k2"'),
		"403 JSON Patch: error in move for path: 'zz': Unable to remove nonexistent key: zz: missing value",
	],
	[patch('op: "nope", path: "/data/k"'), '403 JSON Patch: Unexpected kind: nope'],
	[
		patch('op: "add", path: "/data/n", value: 1'),
		'500 Internal error occurred: json: cannot unmarshal number into Go struct field ConfigMap.data of type string',
	],
	[patch('op: "add", path: "/foo", value: "x"'), '500 Internal error occurred: strict decoding error: unknown field "foo"'],
	[apply('Object{apiVersion: "v2", kind: "Secret"}'), 'ok'],
	[
		apply('Object{metadata: Object.metadata{ownerReferences: [Object.metadata.ownerReferences{uid: "u"}]}}'),
		'403 error applying patch: invalid ApplyConfiguration: may not mutate atomic arrays, maps or structs: .metadata.ownerReferences[0]',
	],
	[
		apply('Object{metadata: Object.metadata{generation: 1.5}}'),
		'403 unable to convert unstructured object to v1, Kind=ConfigMap: cannot convert float64 to int64',
	],
] as const)
	test.serial(`a mutating policy with ${JSON.stringify(mutation)}`, async (t) => {
		const namespace = await changing(mutation);
		const created = await saidOf(client.create(CONFIG_MAPS, { metadata: { name: 'a', namespace }, data: { k: 'v' } }));
		t.is(created, want);
	});

test.serial('a mutating policy for another version than was asked for cannot change anything, as by upstream', async (t) => {
	const namespace = await changing(apply('Object{}'), { apiGroups: ['autoscaling'], resources: ['horizontalpodautoscalers'] });
	const spec = { maxReplicas: 3, scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'd' } };
	const created = await saidOf(client.create(HORIZONTAL_POD_AUTOSCALERS, { metadata: { name: 'a', namespace }, spec }));
	t.is(created, '403 converting (v1.HorizontalPodAutoscaler) to (v2.HorizontalPodAutoscaler): unknown conversion');
});

test.serial('parameters of a namespace itself are in it', async (t) => {
	const metadata = { name: 'params-of-a-namespace' };
	await client.create(VALIDATING_ADMISSION_POLICIES, {
		metadata,
		spec: {
			paramKind: { apiVersion: 'v1', kind: 'ConfigMap' },
			matchConstraints: {
				objectSelector: { matchLabels: { 'with-params': 'y' } },
				resourceRules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['namespaces'] }],
			},
			validations: [{ expression: 'false' }],
		},
	});
	const paramRef = { name: 'p', parameterNotFoundAction: 'Allow' };
	await client.create(VALIDATING_ADMISSION_POLICY_BINDINGS, {
		metadata,
		spec: { policyName: metadata.name, validationActions: ['Deny'], paramRef },
	});
	const labels = { 'with-params': 'y' };
	await t.notThrowsAsync(client.create(NAMESPACES, { metadata: { name: 'with-params', labels } }));
});

test.serial('policies see a patch as the create or update that it comes to', async (t) => {
	const annotations = 'Object{metadata: Object.metadata{annotations: {"seen": request.options.kind + string(has(request.options.force))}}}';
	const namespace = await changing(apply(annotations));
	const body = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a', namespace } };
	const made = await client.patch(CONFIG_MAPS, `${namespace}/a`, { type: 'apply', body, force: true }, { fieldManager: 'm' });
	t.is(made.metadata.annotations?.['seen'], 'CreateOptionsfalse');
});
