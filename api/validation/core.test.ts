import test from 'ava';
import type { KubeObject } from '../resource.ts';
import { validateCreate, validateUpdate } from './validation.ts';

const shown = (errors: readonly { readonly field: string; readonly message: string }[]): string[] =>
	errors.map(
		({ field, message }) => `${field}: ${message.replace(/: (a lowercase RFC|a valid label must|name part must).*/, '').split('\n')[0]}`,
	);
const metadata = { name: 'a', namespace: 'n' };
const made = (object: object): KubeObject => ({ metadata, ...object }) as unknown as KubeObject;

const base64 = (text: string): string => Buffer.from(text).toString('base64');
const docker = (text: string): object => ({ type: 'kubernetes.io/dockerconfigjson', data: { '.dockerconfigjson': base64(text) } });
const redacted = (why: string): string => `data[.dockerconfigjson]: Invalid value: "<secret contents redacted>": ${why}`;

for (const [rule, object, want] of [
	['a key pair may be empty', { type: 'kubernetes.io/tls', data: { 'tls.crt': '', 'tls.key': '' } }, []],
	['not left out', { type: 'kubernetes.io/tls', data: { 'tls.crt': '' } }, ['data[tls.key]: Required value']],
	['a key for SSH is there', { type: 'kubernetes.io/ssh-auth', data: { 'ssh-privatekey': '' } }, ['data[ssh-privatekey]: Required value']],
	['a configuration of Docker is an object', docker('{"auths":{}}'), []],
	['or nothing', docker('null'), []],
	['not a list', docker('[]'), [redacted('json: cannot unmarshal array into Go value of type map[string]interface {}')]],
	['nor empty', docker(''), [redacted('unexpected end of JSON input')]],
	['nor no JSON', docker('{a}'), [redacted("invalid character 'a' looking for beginning of object key string")]],
] as const)
	test(`secrets: ${rule}`, (t) => t.deepEqual(shown(validateCreate('', 'v1', 'Secret', made(object), true)), [...want]));

const quota = (spec: object): KubeObject => made({ spec });
for (const [rule, spec, want] of [
	[
		'each pair of scopes conflicts',
		{ scopes: ['BestEffort', 'NotBestEffort', 'Terminating', 'NotTerminating'] },
		['conflicting scopes', 'conflicting scopes'],
	],
	['what is of Kubernetes may be fractional', { hard: { 'a.kubernetes.io/b': '500m', 'count/a.b': '500m' } }, ['must be an integer']],
] as const)
	test(`quotas: ${rule}`, (t) =>
		t.deepEqual(
			shown(validateCreate('', 'v1', 'ResourceQuota', quota(spec), true)).map((line) => line.replace(/.*: /, '')),
			[...want],
		));

for (const [rule, limit, want] of [
	[
		'names come in the order of the lists, and what is forbidden is not compared',
		{ type: 'Pod', max: { b: '1', cpu: '1' }, default: { cpu: '2' } },
		[
			'spec.limits[0].max[b]: Invalid value: "b": must be a standard resource type or fully qualified',
			'spec.limits[0].max[b]: Invalid value: "b": must be a standard resource for containers',
			"spec.limits[0].default: Forbidden: may not be specified when `type` is 'Pod'",
		],
	],
	[
		'resources of devices are named as such',
		{ type: 'Container', max: { 'requests.a/b': '1' } },
		['spec.limits[0].max[requests.a/b]: Invalid value: "requests.a/b": doesn\'t follow extended resource name standard'],
	],
] as const)
	test(`limits: ${rule}`, (t) =>
		t.deepEqual(shown(validateCreate('', 'v1', 'LimitRange', made({ spec: { limits: [limit] } }), true)), [...want]));

const node = (spec: object, status: object = {}, annotations: object = {}): KubeObject =>
	made({ metadata: { name: 'a', annotations }, spec, status });
const CIDRS = 'spec.podCIDRs: Forbidden: node updates may not change podCIDR except from "" to valid';
const NEGATIVE = 'status.capacity.cpu: Invalid value: "-1": must be greater than or equal to 0';

test('nodes: amounts and features are told twice in updates, before what else may not change', (t) => {
	const [old, next] = [
		node({ podCIDRs: ['10.0.0.0/24', 'fd00::/64'] }),
		node({ podCIDRs: ['10.0.1.0/24', 'fd01::/64'] }, { capacity: { cpu: '-1' } }),
	];
	t.deepEqual(shown(validateUpdate('', 'v1', 'Node', next, old, false)), [NEGATIVE, NEGATIVE, CIDRS, CIDRS]);
	t.deepEqual(shown(validateUpdate('', 'v1', 'Node', next, old, false, 'status')), [NEGATIVE, CIDRS, CIDRS]);
});

test('nodes: annotations are looked at in updates of the status, too', (t) => {
	const annotated = node({}, {}, { 'scheduler.alpha.kubernetes.io/preferAvoidPods': '1' });
	const want =
		'metadata.annotations.AvoidPods: Invalid value: "scheduler.alpha.kubernetes.io/preferAvoidPods": json: cannot unmarshal number into Go value of type v1.AvoidPods';
	t.deepEqual(shown(validateUpdate('', 'v1', 'Node', annotated, annotated, false)), [want, want]);
	t.deepEqual(shown(validateUpdate('', 'v1', 'Node', annotated, annotated, false, 'status')), [want]);
});

for (const [rule, object, want] of [
	[
		'a swap space has a size',
		node({}, { nodeInfo: { swap: { capacity: 0 } } }),
		['metadata.nodeSwapStatus.capacity: Invalid value: 0: must be greater than zero'],
	],
	[
		'ranges that are none are of no family',
		node({ podCIDRs: ['a', 'fd00::/64'] }),
		[
			'spec.podCIDRs[0]: Invalid value: "a": must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)',
			'spec.podCIDRs: Internal error: invalid PodCIDRs. failed to check with dual stack with error:invalid CIDR[0]: <nil> (invalid CIDR address: a)',
			'spec.podCIDRs: Invalid value: ["a","fd00::/64"]: may specify no more than one CIDR for each IP family',
		],
	],
	[
		'an annotation of taints has those',
		node({}, {}, { 'scheduler.alpha.kubernetes.io/taints': '{}' }),
		[
			'metadata.annotations: Invalid value: "scheduler.alpha.kubernetes.io/taints": json: cannot unmarshal object into Go value of type []core.Taint',
		],
	],
] as const)
	test(`nodes: ${rule}`, (t) => t.deepEqual(shown(validateCreate('', 'v1', 'Node', object, false)), [...want]));

const SERVICE = { type: 'ClusterIP', sessionAffinity: 'None', internalTrafficPolicy: 'Cluster', ports: [{ port: 1, protocol: 'TCP' }] };
const service = (spec: object, annotations: object = {}): KubeObject =>
	made({ metadata: { ...metadata, annotations }, spec: { ...SERVICE, ...spec } });
for (const [rule, object, want] of [
	[
		'a name outside is shown without its dot',
		service({ type: 'ExternalName', externalName: 'A.' }),
		['spec.externalName: Invalid value: "A"'],
	],
	[
		'two annotations of one thing say the same',
		service({}, { 'service.kubernetes.io/topology-mode': 'Auto', 'service.kubernetes.io/topology-aware-hints': 'x' }),
		[
			'metadata.annotations[service.kubernetes.io/topology-mode]: Invalid value: "Auto": must match annotations[service.kubernetes.io/topology-aware-hints] when both are specified',
		],
	],
	[
		'an address that is none in particular is shown',
		service({ externalIPs: ['0.0.0.0'], externalTrafficPolicy: 'Cluster' }),
		['spec.externalIPs[0]: Invalid value: "0.0.0.0": may not be unspecified (0.0.0.0)'],
	],
] as const)
	test(`services: ${rule}`, (t) => t.deepEqual(shown(validateCreate('', 'v1', 'Service', object, true)), [...want]));

test('pods: a status does not change what annotations say', (t) => {
	const spec = { containers: [{ name: 'c', image: 'i' }], nodeName: 'n' };
	const pod = (annotations: object): KubeObject => made({ metadata: { ...metadata, annotations }, spec });
	const mirror = 'kubernetes.io/config.mirror';
	t.deepEqual(shown(validateUpdate('', 'v1', 'Pod', pod({ [mirror]: 'b' }), pod({ [mirror]: 'a' }), true, 'status')), [
		`metadata.annotations[${mirror}]: Forbidden: may not remove or update mirror pod annotation`,
	]);
	t.deepEqual(shown(validateUpdate('', 'v1', 'Pod', pod({ 'controller.kubernetes.io/pod-deletion-cost': 'x' }), pod({}), true, 'status')), [
		'metadata.annotations[controller.kubernetes.io/pod-deletion-cost]: Invalid value: "x": must be a 32bit integer',
	]);
});

test('names: lengths are counted in bytes', (t) => {
	const name = 'é'.repeat(40);
	t.deepEqual(shown(validateCreate('', 'v1', 'ConfigMap', made({ metadata: { ...metadata, labels: { a: name } } }), true)), [
		`metadata.labels: Invalid value: "${name}": must be no more than 63 bytes`,
		`metadata.labels: Invalid value: "${name}"`,
	]);
});

test('events: what is fixed is shown as Go has it where it is left out', (t) => {
	const time = '2026-01-01T00:00:00.000000Z';
	const event = { involvedObject: { namespace: 'n' }, reportingComponent: 'a/b', reportingInstance: 'i', action: 'A', reason: 'R' };
	const old = {
		...event,
		eventTime: time,
		firstTimestamp: '2026-01-01T00:00:00Z',
		count: 2,
		related: { name: 'x' },
		source: { host: 'h' },
	};
	const fixed = (field: string, value: string): string => `${field}: Invalid value: ${value}: field is immutable`;
	t.deepEqual(shown(validateUpdate('events.k8s.io', 'v1', 'Event', made(event), made(old), true)), [
		fixed('source', '{"Component":"","Host":""}'),
		fixed('firstTimestamp', 'null'),
		fixed('count', '0'),
		fixed('eventTime', 'null'),
		fixed('related', 'null'),
	]);
});
