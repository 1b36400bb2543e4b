import test from 'ava';
import type { ValidatingAdmissionPolicy } from '../../../api/gen/types.ts';
import { CUSTOM_RESOURCE_DEFINITIONS, VALIDATING_ADMISSION_POLICIES } from '../../../api/resources.ts';
import { controlledCluster } from '../../../test/fakes/controlled-cluster.ts';
import { kindsFor } from './kinds.ts';

const matching = (group: string, version: string, resource: string): object => ({
	resourceRules: [{ apiGroups: [group], apiVersions: [version], operations: ['CREATE'], resources: [resource] }],
});
const only = ['validatingadmissionpolicy-status-controller'];

test('the status of a policy tells what its expressions cannot do, once for each generation', (t) =>
	controlledCluster(
		async ({ client, pass, refusals }) => {
			const policy = (): Promise<ValidatingAdmissionPolicy> => client.get(VALIDATING_ADMISSION_POLICIES, 'p');
			const spec = { matchConstraints: matching('apps', 'v1', 'deployments'), validations: [{ expression: 'object.replicas > 1' }] };
			await client.create(VALIDATING_ADMISSION_POLICIES, { metadata: { name: 'p' }, spec });
			await pass();
			const { status, metadata } = await policy();
			t.deepEqual(status, {
				observedGeneration: 1,
				typeChecking: {
					expressionWarnings: [
						{
							fieldRef: 'spec.validations[0].expression',
							warning: "apps/v1, Kind=Deployment: ERROR: <input>:1:7: undefined field 'replicas'\n | object.replicas > 1\n | ......^\n",
						},
					],
				},
			});
			const applied = metadata.managedFields?.find((entry) => entry.operation === 'Apply');
			t.like(applied, { manager: 'validatingadmissionpolicy-status', operation: 'Apply', subresource: 'status' });
			await pass(60_000);
			t.is((await policy()).metadata.resourceVersion, metadata.resourceVersion);
			const better = { spec: { validations: [{ expression: 'object.spec.replicas > 1' }] } };
			await client.patch(VALIDATING_ADMISSION_POLICIES, 'p', { type: 'merge', body: better });
			await pass();
			t.deepEqual((await policy()).status, { observedGeneration: 2, typeChecking: {} });
			t.deepEqual(refusals, []);
		},
		{ only },
	));

test('custom resources are checked by what is published of them, parameters too', (t) =>
	controlledCluster(
		async ({ client, pass }) => {
			const schema = {
				openAPIV3Schema: { type: 'object', properties: { spec: { type: 'object', properties: { size: { type: 'integer' } } } } },
			};
			await client.create(CUSTOM_RESOURCE_DEFINITIONS, {
				metadata: { name: 'things.x.io' },
				spec: {
					...{ group: 'x.io', scope: 'Cluster', names: { plural: 'things', singular: 'thing', kind: 'Thing', listKind: 'ThingList' } },
					versions: [{ name: 'v1', served: true, storage: true, schema }],
				},
			});
			await pass(5000);
			await client.create(VALIDATING_ADMISSION_POLICIES, {
				metadata: { name: 'p' },
				spec: {
					paramKind: { apiVersion: 'x.io/v1', kind: 'Thing' },
					matchConstraints: matching('x.io', 'v1', 'things'),
					validations: [
						{ expression: "object.spec.size == 'a'" },
						{ expression: 'object.metadata.labels.x == params.spec.size' },
						{ expression: 'object.zork == 1' },
					],
				},
			});
			await pass();
			const { status } = await client.get(VALIDATING_ADMISSION_POLICIES, 'p');
			t.deepEqual(
				(status?.typeChecking?.expressionWarnings ?? []).map(({ warning }) => warning.split('\n')[0]),
				[
					"x.io/v1, Kind=Thing: ERROR: <input>:1:18: found no matching overload for '_==_' applied to '(int, string)'",
					"x.io/v1, Kind=Thing: ERROR: <input>:1:26: found no matching overload for '_==_' applied to '(string, int)'",
					"x.io/v1, Kind=Thing: ERROR: <input>:1:7: undefined field 'zork'",
				],
			);
		},
		{ only },
	));

const served = (
	[
		['', 'v1', 'events', 'Event'],
		['events.k8s.io', 'v1', 'events', 'Event'],
		['apps', 'v1', 'deployments', 'Deployment'],
		['apps', 'v2', 'deployments', 'Deployment'],
	] as const
).map(([group, version, plural, kind]) => ({ group, version, plural, kind, namespaced: true, subresources: [], verbs: [] }));

for (const [group, resource, want] of [
	['apps', 'deployments', 'apps'],
	['apps', 'Deployment', 'apps'],
	['', 'events', ' events.k8s.io'],
	['', 'deployments', 'apps'],
	['batch', 'deployments', ''],
] as const)
	test(`the kinds of ${resource} of ${JSON.stringify(group)}`, (t) => {
		t.is(
			kindsFor(served, { group, version: 'v1', resource })
				.map((kind) => kind.group)
				.join(' '),
			want,
		);
	});
