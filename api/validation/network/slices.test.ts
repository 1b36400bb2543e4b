import test from 'ava';
import type { KubeObject } from '../../resource.ts';
import { validateCreate } from '../validation.ts';

const LABEL =
	"a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";
const slice = (addressType: string, more: object): KubeObject =>
	({ metadata: { name: 'a', namespace: 'n' }, addressType, ...more }) as unknown as KubeObject;
const found = (object: KubeObject): string[] =>
	validateCreate('discovery.k8s.io', 'v1', 'EndpointSlice', object, true).map(({ field, message }) => `${field}: ${message}`);
const AT = 'endpoints[0].addresses[0]';
const long = 'a'.repeat(64);

for (const [address, want] of [
	['a.b', []],
	['a.b.', []],
	['', [`${AT}: Required value`]],
	['a', [`${AT}: Invalid value: "a": should be a domain with at least two segments separated by dots`]],
	['A.b', [`${AT}: Invalid value: "A.b": ${LABEL}`]],
	[`${long}.b`, [`${AT}: Invalid value: "${long}": must be no more than 63 characters`]],
] as const)
	test(`slices: a name outside is fully qualified: ${address}`, (t) =>
		t.deepEqual(found(slice('FQDN', { endpoints: [{ addresses: [address] }] })), [...want]));

test('slices: too many endpoints or ports are not looked at', (t) => {
	const endpoints = Array.from({ length: 1001 }, () => ({ addresses: ['x'] }));
	t.deepEqual(found(slice('IPv4', { endpoints })), ['endpoints: Too many: 1001: must have at most 1000 items']);
	const ports = Array.from({ length: 20_001 }, () => ({ name: '' }));
	t.deepEqual(found(slice('IPv4', { ports })), ['ports: Too many: 20001: must have at most 20000 items']);
});

test('events: lengths are counted in bytes', (t) => {
	const note = 'é'.repeat(600);
	const event = {
		...{ metadata: { name: 'a', namespace: 'default' }, involvedObject: {}, eventTime: '2026-01-01T00:00:00.000000Z', type: 'Normal' },
		...{ reportingComponent: 'c', reportingInstance: 'i', action: 'a', reason: 'r', message: note },
	} as unknown as KubeObject;
	const errors = validateCreate('events.k8s.io', 'v1', 'Event', event, true).map(({ field, message }) => `${field}: ${message}`);
	t.deepEqual(errors, ['message: Invalid value: "": can have at most 1024 characters']);
});
