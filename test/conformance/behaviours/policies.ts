/** [sig-api-machinery] ValidatingAdmissionPolicy and MutatingAdmissionPolicy: what they decide about a Deployment. */
import {
	AdmissionregistrationV1Api,
	AppsV1Api,
	type V1Deployment,
	type V1MatchResources,
	type V1Validation,
	type V1Variable,
} from '@kubernetes/client-node';
import { eventually } from '../../tools/eventually.ts';
import { refusal } from '../refusals.ts';
import { conformance, type World } from '../suite.ts';

const deployments = (operations: string[]): V1MatchResources => ({
	resourceRules: [{ apiGroups: ['apps'], apiVersions: ['v1'], operations, resources: ['deployments'] }],
});
const here = ({ namespace }: World): V1MatchResources => ({ namespaceSelector: { matchLabels: { 'conformance-test': namespace } } });

const deployment = (name: string, replicas: number, more: Partial<V1Deployment> = {}): V1Deployment => ({
	metadata: { name },
	spec: {
		replicas,
		selector: { matchLabels: { app: name } },
		template: { metadata: { labels: { app: name } }, spec: { nodeSelector: { none: 'none' }, containers: [{ name: 'c', image: 'none' }] } },
	},
	...more,
});
const create = ({ api, namespace }: World, body: V1Deployment): Promise<V1Deployment> =>
	api(AppsV1Api).createNamespacedDeployment({ namespace, body });

async function validating(world: World, validations: V1Validation[], variables: V1Variable[] = []): Promise<void> {
	const name = `${world.namespace}.policy`;
	const registration = world.api(AdmissionregistrationV1Api);
	const matchConstraints = deployments(['CREATE', 'UPDATE']);
	await registration.createValidatingAdmissionPolicy({
		body: { metadata: { name }, spec: { validations, variables, matchConstraints, failurePolicy: 'Fail' } },
	});
	world.t.teardown(() => registration.deleteValidatingAdmissionPolicy({ name }));
	await registration.createValidatingAdmissionPolicyBinding({
		body: { metadata: { name }, spec: { policyName: name, validationActions: ['Deny'], matchResources: here(world) } },
	});
	world.t.teardown(() => registration.deleteValidatingAdmissionPolicyBinding({ name }));
}

conformance(
	'[sig-api-machinery] ValidatingAdmissionPolicy [Privileged:ClusterAdmin] should validate against a Deployment [Conformance]',
	async (world) => {
		await validating(world, [
			{ expression: 'object.spec.replicas > 1', messageExpression: "'wants replicas > 1, got ' + string(object.spec.replicas)" },
			{ expression: "namespaceObject.metadata.name == 'not-this' || object.metadata.name != 'bad'", message: 'bad name' },
		]);
		const refused = await eventually('one replica is refused', async () => {
			const answer = await refusal(create(world, deployment(`one-${Math.random().toString(36).slice(2)}`, 1)));
			return answer.code !== 200 && answer;
		});
		world.t.is(refused.code, 422);
		world.t.regex(refused.message, /ValidatingAdmissionPolicy '.*' with binding '.*' denied request: wants replicas > 1, got 1/);
		world.t.regex((await refusal(create(world, deployment('bad', 2)))).message, /denied request: bad name/);
		await create(world, deployment('two', 2));
	},
);

conformance(
	'[sig-api-machinery] ValidatingAdmissionPolicy [Privileged:ClusterAdmin] should allow expressions to refer variables. [Conformance]',
	async (world) => {
		await validating(
			world,
			[
				{ expression: 'variables.replicas > 1', messageExpression: "'wants replicas > 1, got ' + string(variables.replicas)" },
				{ expression: 'variables.oddReplicas' },
			],
			[
				{ name: 'replicas', expression: 'object.spec.replicas' },
				{ name: 'oddReplicas', expression: 'variables.replicas % 2 == 1' },
			],
		);
		await eventually('one replica is refused', async () => {
			const answer = await refusal(create(world, deployment(`one-${Math.random().toString(36).slice(2)}`, 1)));
			return answer.code !== 200 && /got 1/.test(answer.message);
		});
		world.t.regex((await refusal(create(world, deployment('four', 4)))).message, /failed expression: variables\.oddReplicas/);
		await create(world, deployment('three', 3));
	},
);

async function mutating(world: World, expression: string): Promise<void> {
	const name = `${world.namespace}.policy`;
	const registration = world.api(AdmissionregistrationV1Api);
	await registration.createMutatingAdmissionPolicy({
		body: {
			metadata: { name },
			spec: {
				matchConstraints: deployments(['CREATE']),
				failurePolicy: 'Fail',
				reinvocationPolicy: 'Never',
				mutations: [{ patchType: 'ApplyConfiguration', applyConfiguration: { expression } }],
			},
		},
	});
	world.t.teardown(() => registration.deleteMutatingAdmissionPolicy({ name }));
	await registration.createMutatingAdmissionPolicyBinding({
		body: { metadata: { name }, spec: { policyName: name, matchResources: here(world) } },
	});
	world.t.teardown(() => registration.deleteMutatingAdmissionPolicyBinding({ name }));
}

conformance(
	'[sig-api-machinery] MutatingAdmissionPolicy [Privileged:ClusterAdmin] should mutate a Deployment [Conformance]',
	async (world) => {
		await mutating(world, 'Object{spec: Object.spec{replicas: object.spec.replicas + 100}}');
		await eventually('replicas are added', async () => {
			const { spec } = await create(world, deployment(`r-${Math.random().toString(36).slice(2)}`, 2));
			return spec?.replicas === 102;
		});
		world.t.pass();
	},
);

conformance(
	'[sig-api-machinery] MutatingAdmissionPolicy [Privileged:ClusterAdmin] should mutate a Deployment with annotations [Conformance]',
	async (world) => {
		await mutating(
			world,
			'Object{metadata: Object.metadata{annotations: {"my-foo-annotation": "myAnnotationValue", "by": request.operation}}}',
		);
		const annotations = await eventually('annotations are added', async () => {
			const name = `a-${Math.random().toString(36).slice(2)}`;
			const { metadata } = await create(world, deployment(name, 0, { metadata: { name, annotations: { mine: 'stays' } } }));
			return metadata?.annotations?.['my-foo-annotation'] !== undefined && metadata.annotations;
		});
		world.t.deepEqual({ ...annotations }, { mine: 'stays', 'my-foo-annotation': 'myAnnotationValue', by: 'CREATE' });
	},
);
