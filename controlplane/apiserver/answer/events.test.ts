import test from 'ava';
import { CONFIG_MAPS, CUSTOM_RESOURCE_DEFINITIONS, DEPLOYMENTS, EVENTS, PODS } from '../../../api/resources.ts';
import type { KubeObject, Resource } from '../../../api/resource.ts';
import { badRequest } from '../../../api/status.ts';
import type { SentEvent } from '../../../client/watch-event.ts';
import type { ApiRequest } from '../contracts.ts';
import type { EventEncoder } from '../registry/event-encoder.ts';
import { makeKind } from '../registry/kinds.ts';
import { encode } from './canonical.ts';
import { eventEncoder } from './events.ts';
import { Parsed } from './parsed.ts';
import { objectEvents, type ObjectEvents } from './object-events.ts';

const kind = makeKind(CONFIG_MAPS);
const ACCEPT = 'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1';
const created = '2026-01-01T00:00:00Z';

for (const [what, metadata, data] of [
	['a name only', { name: 'a' }, undefined],
	[
		'texts with braces, quotes and other characters',
		{ name: 'a', annotations: { 'e.com/x': '{"a":"}\\"{"}', y: 'ü€\u{1f600}\\' } },
		{ k: '}' },
	],
	[
		'managed fields',
		{ name: 'a', managedFields: [{ manager: 'm', fieldsType: 'FieldsV1', fieldsV1: { 'f:data': { '.': {} } } }] },
		{ k: '{' },
	],
] as const)
	test(`an event of metadata is cut out of what is stored: ${what}`, (t) => {
		const request = { headers: { accept: ACCEPT }, query: new URLSearchParams('watch=1') } as unknown as ApiRequest;
		const { encoder } = eventEncoder(request, kind, () => 0);
		const object = {
			kind: 'ConfigMap',
			apiVersion: 'v1',
			metadata: { ...metadata, creationTimestamp: created },
			data,
		} as unknown as KubeObject;
		const bytes = encoder.event('ADDED', { value: kind.encode(object), revision: 7n }, undefined);
		const text = Buffer.from(bytes).toString();
		t.true(text.endsWith('}\n'));
		t.deepEqual(JSON.parse(text), {
			type: 'ADDED',
			object: {
				kind: 'PartialObjectMetadata',
				apiVersion: 'meta.k8s.io/v1',
				metadata: { ...metadata, creationTimestamp: created, resourceVersion: '7' },
			},
		});
	});

test('a bookmark in a table is a row that has its metadata, of columns that were told already', (t) => {
	const accept = 'application/json;as=Table;v=v1;g=meta.k8s.io';
	const request = { headers: { accept }, query: new URLSearchParams('watch=1') } as unknown as ApiRequest;
	const { encoder } = eventEncoder(request, kind, () => 0);
	const value = kind.encode({ kind: 'ConfigMap', apiVersion: 'v1', metadata: { name: 'a', creationTimestamp: created } } as KubeObject);
	encoder.event('ADDED', { value, revision: 7n }, undefined);
	const metadata = { resourceVersion: '9', annotations: { 'k8s.io/initial-events-end': 'true' } };
	const row = { cells: ['', 0, '<unknown>'], object: { kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1', metadata } };
	t.deepEqual(JSON.parse(Buffer.from(encoder.bookmark(9n, true)).toString()), {
		type: 'BOOKMARK',
		object: {
			kind: 'Table',
			apiVersion: 'meta.k8s.io/v1',
			metadata: { resourceVersion: '9' },
			columnDefinitions: null,
			rows: [row],
		},
	});
});

for (const [resource, rest] of [
	[PODS, { spec: { containers: null }, status: {} }],
	[
		DEPLOYMENTS,
		{ spec: { replicas: 0, selector: null, template: { metadata: {}, spec: { containers: null } }, strategy: {} }, status: {} },
	],
	[CONFIG_MAPS, {}],
] as const)
	test(`a bookmark of ${resource.plural} is an empty object with the fields that are always written`, (t) => {
		const of = makeKind(resource as Resource);
		const { encoder } = eventEncoder({ headers: {}, query: new URLSearchParams('watch=1') } as unknown as ApiRequest, of, () => 0);
		t.deepEqual(JSON.parse(Buffer.from(encoder.bookmark(9n, false)).toString()), {
			type: 'BOOKMARK',
			object: { kind: of.resource.kind, apiVersion: of.apiVersion, metadata: { resourceVersion: '9' }, ...rest },
		});
	});

test('a client in this process gets the objects that the bytes say, the same for all, and nobody can change them', (t) => {
	const request = { headers: {}, query: new URLSearchParams('watch=1'), takesEvents: true } as unknown as ApiRequest;
	const objects = objectEvents(new Parsed(), request, kind) as EventEncoder<ObjectEvents>;
	const { encoder } = eventEncoder(request, kind, () => 0);
	const value = kind.encode({
		...{ kind: 'ConfigMap', apiVersion: 'v1', data: { k: '}' } },
		metadata: { name: 'a', creationTimestamp: created, annotations: { x: 'ü€' } },
	} as KubeObject);
	const made = [
		[objects.event('ADDED', { value, revision: 7n }, undefined), encoder.event('ADDED', { value, revision: 7n }, undefined)],
		[objects.event('DELETED', { value, revision: 9n }, undefined), encoder.event('DELETED', { value, revision: 9n }, undefined)],
		[objects.bookmark(10n, true), encoder.bookmark(10n, true)],
		[objects.error(badRequest('no')), encoder.error(badRequest('no'))],
	] as const;
	for (const [events, bytes] of made) {
		t.deepEqual(
			events.map(({ bytes: _, ...event }) => event),
			[JSON.parse(Buffer.from(bytes).toString()) as SentEvent],
		);
		t.is(objects.size(events), bytes.length);
	}
	const after = { key: '/x', revision: 9n, value };
	const [one, two] = [1, 2].map(() => objects.event('MODIFIED', after, { key: '/x', revision: 9n, after })[0]?.object as KubeObject);
	t.is(one, two);
	t.throws(() => ((one as KubeObject).metadata.name = 'b'), { instanceOf: TypeError });
	t.deepEqual(
		objects.joined([made[0][0], made[1][0]]).map(({ type }) => type),
		['ADDED', 'DELETED'],
	);
});

test('objects are for those who take them, and bytes for whoever wants another form', (t) => {
	const asked = (takesEvents: boolean, accept: string) =>
		objectEvents(new Parsed(), { headers: { accept }, query: new URLSearchParams(), takesEvents } as unknown as ApiRequest, kind) !==
		undefined;
	t.deepEqual(
		[
			asked(true, 'application/json'),
			asked(false, 'application/json'),
			asked(true, ACCEPT),
			asked(true, 'application/vnd.kubernetes.protobuf'),
		],
		[true, false, false, false],
	);
});

test('what was just written is known without being parsed, and is what the bytes say', (t) => {
	const metadata = { name: 'a', namespace: 'b', creationTimestamp: created, labels: { z: '1', a: '2' }, finalizers: [] };
	for (const [resource, rest] of [
		[CONFIG_MAPS, { data: { k: '}', __proto__: 'x' }, binaryData: { b: 'AAE=' }, immutable: false }],
		[PODS, { spec: { containers: [{ name: 'c', resources: { limits: { cpu: '1000m', memory: 1024 } }, ports: [] }], volumes: [] } }],
		[EVENTS, { eventTime: '2026-01-01T00:00:00.500000Z', involvedObject: {}, count: 3, series: null }],
		[CUSTOM_RESOURCE_DEFINITIONS, { spec: { versions: [{ schema: { openAPIV3Schema: { default: 12345678901234567890n, items: [] } } }] } }],
	] as const) {
		const of = makeKind(resource as Resource);
		const value = of.encode({ apiVersion: of.apiVersion, kind: of.resource.kind, metadata, ...rest } as unknown as KubeObject);
		const entry = { key: '/x', revision: 7n, value };
		const known = new Parsed();
		known.wrote('/x', 7n, value);
		const object = known.ofFresh(entry);
		t.is(object, value.object as KubeObject);
		t.deepEqual(object, new Parsed().ofFresh(entry), of.resource.kind);
		const { resourceVersion: _, ...unversioned } = object.metadata;
		const { bytes, versionAt } = encode({ ...object, metadata: unversioned }, value);
		t.deepEqual([Buffer.from(value.bytes).toString(), value.versionAt], [Buffer.from(bytes).toString(), versionAt]);
		t.not(known.ofFresh({ ...entry, revision: 8n }), object);
	}
});
