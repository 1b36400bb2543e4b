/** Slices, claims' statuses, classes and templates, through the rules of all kinds. */
import test from 'ava';
import { decodeObject } from '../../codec/codec.ts';
import type { KubeObject } from '../../resource.ts';
import { validateCreate, validateUpdate } from '../validation.ts';

const GROUP = 'resource.k8s.io';

function decoded(kind: string, object: object): KubeObject {
	const json = { apiVersion: `${GROUP}/v1`, kind, ...object };
	const name = { group: GROUP, version: 'v1', kind };
	return decodeObject(json, name, { strictness: 'Ignore', warn: () => {} }) as unknown as KubeObject;
}

const errors = (found: readonly { readonly field?: string; readonly message?: string }[]): readonly string[] =>
	found.map(({ field, message }) => `${field}: ${message}`);

function sliceErrors(device: object, spec: object = {}): readonly string[] {
	const pool = { name: 'p', generation: 1, resourceSliceCount: 1 };
	const slice = { metadata: { name: 's' }, spec: { driver: 'd.io', pool, nodeName: 'n', devices: [{ name: 'a', ...device }], ...spec } };
	return errors(validateCreate(GROUP, 'v1', 'ResourceSlice', decoded('ResourceSlice', slice), false));
}

const D = 'spec.devices[0]';
const long = `${'d'.repeat(60)}.io/${'x'.repeat(40)}`;
const short = `${'d'.repeat(47)}...${'d'.repeat(2)}.io/${'x'.repeat(40)}`;
for (const [name, attribute, ...want] of [
	['a text as long as may be', { string: 'é'.repeat(32) }],
	['a text too long in bytes', { string: `${'é'.repeat(32)}x` }, `${D}.attributes[a].string: Too long: may not be more than 64 bytes`],
	['a version of any size', { version: '99999999999999999999.0.0-0a.1+00.x' }],
	[
		'a version with a leading zero',
		{ version: '1.0.01' },
		`${D}.attributes[a].version: Invalid value: "1.0.01": must be a string compatible with semver.org spec 2.0.0`,
	],
	['a list, of a slice that a server with the feature has written', { strings: ['x', 'y'] }],
	[
		'a text of a list too long',
		{ strings: ['x', 'x'.repeat(65)] },
		`${D}.attributes[a].strings[1]: Too long: may not be more than 64 bytes`,
	],
	[
		'a version of a list that is none',
		{ versions: ['1.0.0', '1'] },
		`${D}.attributes[a].versions[1]: Invalid value: "1": must be a string compatible with semver.org spec 2.0.0`,
	],
	[
		'each of a list counts',
		{ ints: Array.from({ length: 49 }, (_, i) => i) },
		`${D}: Invalid value: 49: the total number of attribute values must not exceed 48`,
	],
] as const)
	test(`attributes: ${name}`, (t) => t.deepEqual(sliceErrors({ attributes: { a: attribute } }), want));

test('attributes and capacities: a key that is too long lacks its middle in paths', (t) => {
	const found = sliceErrors({ attributes: { [long]: {} }, capacity: { [long]: { value: '1', requestPolicy: {} } } });
	t.is(Buffer.byteLength(short), 96);
	t.deepEqual(
		found.filter((line) => line.includes('[d')),
		[
			`${D}.attributes[${short}]: Invalid value: "": exactly one value must be specified`,
			`${D}.capacity[${short}].requestPolicy: Forbidden: allowMultipleAllocations must be true`,
		],
	);
});

const capacity = (requestPolicy: object) => ({ allowMultipleAllocations: true, capacity: { c: { value: '8Ei', requestPolicy } } });
for (const [name, requestPolicy, ...want] of [
	[
		'one number in two texts is one value',
		{ default: '1Ki', validValues: ['1Ki', '1024'] },
		`${D}.capacity[c].requestPolicy.validValues[1]: Duplicate value: "1024"`,
	],
	[
		'what rounds up to one number is one value',
		{ default: '500m', validValues: ['500m', '1'] },
		`${D}.capacity[c].requestPolicy.validValues[1]: Duplicate value: "1"`,
	],
	['large steps are counted exactly', { default: '9007199254740993', validRange: { min: '9007199254740990', step: '3' } }],
	[
		'large steps that do not fit',
		{ default: '9007199254740992', validRange: { min: '9007199254740990', step: '3' } },
		`${D}.capacity[c].requestPolicy.validRange.step: Invalid value: "9007199254740992": value is not a multiple of a given step (3) from (9007199254740990)`,
	],
] as const)
	test(`capacities: ${name}`, (t) => t.deepEqual(sliceErrors(capacity(requestPolicy)), want));

test('slices: the terms of the selector are counted where the selector is looked at', (t) => {
	const term = { matchExpressions: [{ key: 'k', operator: 'Exists' }] };
	const found = sliceErrors({}, { nodeName: undefined, nodeSelector: { nodeSelectorTerms: [term, term] }, allNodes: false });
	t.deepEqual(
		found.map((line) => line.split(':', 1)[0]),
		['spec.nodeSelector.nodeSelectorTerms', 'spec.allNodes'],
	);
});

const status = (devices: readonly object[]): KubeObject => {
	const requests = [{ name: 'r', exactly: { deviceClassName: 'c' } }];
	const results = [{ request: 'r', driver: 'd.io', pool: 'p', device: 'a' }];
	const metadata = { name: 'c', namespace: 'n', resourceVersion: '1' };
	const allocation = { devices: { results } };
	return decoded('ResourceClaim', { metadata, spec: { devices: { requests } }, status: { allocation, devices } });
};
const statusErrors = (devices: readonly object[]): readonly string[] =>
	errors(validateUpdate(GROUP, 'v1', 'ResourceClaim', status(devices), status([]), true, 'status'));

test('claim status: devices told of twice are told last, as upstream shows them', (t) => {
	const one = { driver: 'd.io', pool: 'p', device: 'a' };
	t.deepEqual(
		statusErrors([one, one, { ...one, device: 'A' }]).map((line) => line.replace(/a lowercase.*/, '…')),
		[
			'status.devices[2].device: Invalid value: "A": …',
			'status.devices[2]: Invalid value: {"Driver":"d.io","Pool":"p","Device":"A","ShareID":""}: must be an allocated device in the claim',
			'status.devices[1]: Duplicate value: {"Driver":"d.io","Pool":"p","Device":"a","ShareID":""}',
		],
	);
});

const data = (bytes: number): object => ({ k: 'é'.repeat((bytes - '{"k":""}'.length) / 2) });
for (const [bytes, ...want] of [[10_240], [10_242, 'status.devices[0].data: Too long: may not be more than 10240 bytes']] as const)
	test(`claim status: ${bytes} bytes of data`, (t) =>
		t.deepEqual(statusErrors([{ driver: 'd.io', pool: 'p', device: 'a', data: data(bytes) }]), want));

const PLAIN = '01234567-89ab-cdef-0123-456789abcdef';
const NORMAL = 'uid must be in RFC 4122 normalized form, `xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx` with lowercase hexadecimal characters';
const wrong = (why: string): string => `error validating uid: ${why}`;
for (const [shareID, want] of [
	[PLAIN, undefined],
	[PLAIN.toUpperCase(), NORMAL],
	[`{${PLAIN}}`, NORMAL],
	[`urn:UUID:${PLAIN}`, NORMAL],
	[PLAIN.replaceAll('-', ''), NORMAL],
	[`(${PLAIN})`, wrong('invalid bracketed UUID format')],
	[`{${PLAIN.replace('0', 'g')}}`, wrong('invalid UUID format')],
	[`urn:guid:${PLAIN}`, wrong('invalid urn prefix: "urn:guid:"')],
	['g'.repeat(32), wrong('invalid UUID format')],
	['x', wrong('invalid UUID length: 1')],
] as const)
	test(`claim status: the share ${shareID}`, (t) => {
		const [first, ...others] = statusErrors([{ driver: 'd.io', pool: 'p', device: 'a', shareID }]);
		t.is(others.length, want === undefined ? 0 : 1);
		if (want !== undefined) t.is(first, `status.devices[0].shareID: Invalid value: ${JSON.stringify(shareID)}: ${want}`);
	});

test('classes: what a name is generated of is not looked at beside the name', (t) => {
	const named = (name: string): readonly string[] =>
		errors(
			validateCreate(GROUP, 'v1', 'DeviceClass', decoded('DeviceClass', { metadata: { name, generateName: 'a/b-' }, spec: {} }), false),
		);
	t.deepEqual(
		named('a/b-xyz12').map((line) => line.split(':', 1)[0]),
		['metadata.name'],
	);
	t.deepEqual(named('ok'), [`metadata.generateName: Invalid value: "a/b-": may not contain '/'`]);
});

test('classes: configuration from before there was a limit stays as it is', (t) => {
	const config = (k: string): KubeObject =>
		decoded('DeviceClass', {
			metadata: { name: 'c', resourceVersion: '1' },
			spec: { config: [{ opaque: { driver: 'd.io', parameters: { k } } }] },
		});
	const update = (now: string, before: string): readonly string[] =>
		errors(validateUpdate(GROUP, 'v1', 'DeviceClass', config(now), config(before), false));
	const large = 'x'.repeat(10_240);
	t.deepEqual(update(large, large), []);
	t.deepEqual(update(large, 'x'), ['spec.config[0].opaque.parameters: Too long: may not be more than 10240 bytes']);
});

test('templates: lists of metadata may not be there, empty ones neither', (t) => {
	const metadata = { ownerReferences: [], finalizers: [], labels: {}, name: '' };
	const spec = { metadata, spec: { devices: { constraints: [{ matchAttribute: 'a<b' }] } } };
	const template = decoded('ResourceClaimTemplate', { metadata: { name: 't', namespace: 'n' }, spec });
	t.deepEqual(
		errors(validateCreate(GROUP, 'v1', 'ResourceClaimTemplate', template, true)).map((line) => line.replace(/a valid C .*/, '…')),
		[
			'spec.metadata.ownerReferences: Forbidden: cannot be set',
			'spec.metadata.finalizers: Forbidden: cannot be set',
			'spec.spec.devices.constraints[0].matchAttribute: Invalid value: "a<b": …',
			String.raw`spec.spec.devices.constraints[0].matchAttribute: Invalid value: "a\u003cb": a fully qualified name must be a domain and a name separated by a slash`,
		],
	);
});
