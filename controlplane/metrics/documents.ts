/** What the provider tells of itself: discovery of metrics.k8s.io, and its schemas as OpenAPI of both versions. Pure. */
import type { APIGroup, APIGroupList, APIResource, APIResourceList } from '../../api/gen/types.ts';
import { GROUP_VERSION } from './kinds.ts';

const [GROUP = '', VERSION = ''] = GROUP_VERSION.split('/');
const VERBS = ['get', 'list'];

const RESOURCES: APIResource[] = [
	{ name: 'nodes', singularName: '', namespaced: false, kind: 'NodeMetrics', verbs: VERBS },
	{ name: 'pods', singularName: '', namespaced: true, kind: 'PodMetrics', verbs: VERBS },
];
const GROUP_ENTRY: APIGroup = {
	name: GROUP,
	versions: [{ groupVersion: GROUP_VERSION, version: VERSION }],
	preferredVersion: { groupVersion: GROUP_VERSION, version: VERSION },
};

const text = { type: 'string' };
const AMOUNTS = { type: 'object', additionalProperties: text };
const META = {
	apiVersion: text,
	kind: text,
	metadata: { type: 'object', description: 'Standard metadata of the measured object: its name and labels.' },
};
const MEASURED = {
	...META,
	timestamp: { ...text, format: 'date-time', description: 'The end of what was measured over.' },
	window: { ...text, description: 'How long it was measured over, such as "15.2s".' },
};
const kind = (name: string): readonly unknown[] => [{ group: GROUP, version: VERSION, kind: name }];

/** By kind. */
const SCHEMAS = {
	NodeMetrics: {
		type: 'object',
		description: 'NodeMetrics sets resource usage metrics of a node.',
		required: ['timestamp', 'window', 'usage'],
		properties: { ...MEASURED, usage: { ...AMOUNTS, description: 'cpu and memory (the working set).' } },
		'x-kubernetes-group-version-kind': kind('NodeMetrics'),
	},
	PodMetrics: {
		type: 'object',
		description: 'PodMetrics sets resource usage metrics of a pod.',
		required: ['timestamp', 'window', 'containers'],
		properties: {
			...MEASURED,
			containers: {
				type: 'array',
				description: 'All of its containers that run.',
				items: { type: 'object', required: ['name', 'usage'], properties: { name: text, usage: AMOUNTS } },
			},
		},
		'x-kubernetes-group-version-kind': kind('PodMetrics'),
	},
};

const PREFIX = 'io.k8s.metrics.pkg.apis.metrics.v1beta1';
const ROOT = `/apis/${GROUP_VERSION}`;
const NAME = { name: 'name', in: 'path', required: true };
const NAMESPACE = { name: 'namespace', in: 'path', required: true };

/** Each path with its parameters, what it does, and the kind it does it to. */
const PATHS = [
	[`${ROOT}/nodes`, [], 'list', 'NodeMetrics'],
	[`${ROOT}/nodes/{name}`, [NAME], 'get', 'NodeMetrics'],
	[`${ROOT}/pods`, [], 'list', 'PodMetrics'],
	[`${ROOT}/namespaces/{namespace}/pods`, [NAMESPACE], 'list', 'PodMetrics'],
	[`${ROOT}/namespaces/{namespace}/pods/{name}`, [NAMESPACE, NAME], 'get', 'PodMetrics'],
] as const;

function pathsWith(parameter: (of: typeof NAME) => object): Readonly<Record<string, object>> {
	return Object.fromEntries(
		PATHS.map(([path, parameters, action, name]) => [
			path,
			{
				get: {
					responses: { 200: { description: 'OK' } },
					'x-kubernetes-action': action,
					'x-kubernetes-group-version-kind': { group: GROUP, version: VERSION, kind: name },
				},
				...(parameters.length > 0 ? { parameters: parameters.map(parameter) } : {}),
			},
		]),
	);
}

const definitions = Object.fromEntries(Object.entries(SCHEMAS).map(([name, schema]) => [`${PREFIX}.${name}`, schema]));
const info = { title: 'metrics', version: VERSION };

/** By path. */
export const DOCUMENTS: ReadonlyMap<string, object> = new Map<string, object>([
	['/apis', { kind: 'APIGroupList', apiVersion: 'v1', groups: [GROUP_ENTRY] } satisfies APIGroupList],
	[`/apis/${GROUP}`, { kind: 'APIGroup', apiVersion: 'v1', ...GROUP_ENTRY } satisfies APIGroup],
	[ROOT, { kind: 'APIResourceList', apiVersion: 'v1', groupVersion: GROUP_VERSION, resources: RESOURCES } satisfies APIResourceList],
	['/openapi/v2', { swagger: '2.0', info, paths: pathsWith((of) => ({ ...of, type: 'string' })), definitions }],
	['/openapi/v3', { paths: { [ROOT.slice(1)]: { serverRelativeURL: `/openapi/v3${ROOT}` } } }],
	[
		`/openapi/v3${ROOT}`,
		{ openapi: '3.0.0', info, paths: pathsWith((of) => ({ ...of, schema: text })), components: { schemas: definitions } },
	],
]);
