import test from 'ava';
import { resourceOfKind } from './resource-of-kind.ts';
import { servedResources } from './served-resources.ts';
import type { RemoteVersion } from './source.ts';

const one = (resource: string, kind: string, group = ''): RemoteVersion['resources'][number] => ({
	resource,
	scope: 'Namespaced',
	singularResource: '',
	verbs: ['get'],
	responseKind: { group, version: group === '' ? '' : 'v1', kind },
});
const version = (group: string, ...resources: RemoteVersion['resources']): RemoteVersion => ({
	group,
	version: 'v1',
	freshness: 'Current',
	resources,
});
const remote = [
	version('a.io', one('others', 'Thing', 'b.io'), one('things', 'Thing', 'a.io'), one('plains', 'Plain')),
	version('stale.io'),
];
const find = resourceOfKind({ resources: () => served }, { remoteVersions: () => remote });
const served = servedResources();

for (const [group, kind, want] of [
	['', 'ConfigMap', 'configmaps'],
	['apps', 'Deployment', 'deployments'],
	['apps', 'Scale', undefined],
	['', 'Deployment', undefined],
	['gone.io', 'Thing', undefined],
	['a.io', 'Thing', 'things'],
	['a.io', 'Plain', 'plains'],
	['stale.io', 'Thing', undefined],
] as const)
	test(`the resource of ${kind} in ${group === '' ? 'the core group' : group}`, (t) => t.is(find({ group, version: 'v1', kind }), want));
