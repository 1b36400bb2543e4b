import test from 'ava';
import type { ClusterRole, PolicyRule } from '../../api/gen/types.ts';
import { CLUSTER_ROLES } from '../../api/resources.ts';
import { controlledCluster } from '../../test/fakes/controlled-cluster.ts';
import { aggregate } from './clusterrole-aggregation.ts';

const rule = (resource: string): PolicyRule => ({ apiGroups: [''], resources: [resource], verbs: ['get'] });
const gathering = (...labels: readonly string[]) => ({
	clusterRoleSelectors: labels.map((label) => ({ matchLabels: { [label]: 'yes' } })),
});
const role = (name: string, label: string, ...resources: string[]): ClusterRole => ({
	metadata: { name, labels: { [label]: 'yes' } },
	rules: resources.map(rule),
});

test('aggregate(): selector by selector, by name in each, every rule once', (t) => {
	const own: ClusterRole = {
		metadata: { name: 'own', labels: { second: 'yes' } },
		rules: [rule('no')],
		aggregationRule: gathering('first', 'second'),
	};
	const all = [own, role('a', 'second', 'pods', 'nodes'), role('z', 'first', 'secrets'), role('b', 'first', 'pods')];
	t.deepEqual(
		aggregate(own, all).map(({ resources }) => resources?.[0]),
		['pods', 'secrets', 'nodes'],
	);
});

test('a new role that gathers others is gathered itself', async (t) => {
	await controlledCluster(
		async ({ client, pass }) => {
			await client.create(CLUSTER_ROLES, { metadata: { name: 'outer' }, aggregationRule: gathering('outer'), rules: [] });
			await client.create(CLUSTER_ROLES, role('leaf', 'inner', 'pods'));
			await pass();
			// As it comes from a backup: its rules are in it.
			await client.create(CLUSTER_ROLES, { ...role('inner', 'outer', 'pods'), aggregationRule: gathering('inner') });
			await pass();
			t.deepEqual((await client.get(CLUSTER_ROLES, 'outer')).rules, [rule('pods')]);
		},
		{ only: ['clusterrole-aggregation-controller'] },
	);
});
