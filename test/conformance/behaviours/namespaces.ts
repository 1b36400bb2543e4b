/** [sig-api-machinery] Namespaces, OrderedNamespaceDeletion. */
import { CoreV1Api, PatchStrategy, setHeaderOptions, type V1Namespace } from '@kubernetes/client-node';
import { eventually } from '../../tools/eventually.ts';
import { gone, orGone } from '../refusals.ts';
import { inPhase, sleeper } from '../pods.ts';
import { conformance, takesPods, type World } from '../suite.ts';

const merge = setHeaderOptions('Content-Type', PatchStrategy.MergePatch);

/** A second namespace, for tests that end it. */
async function another({ api, namespace, t }: World): Promise<string> {
	const name = `${namespace}-2`;
	await api(CoreV1Api).createNamespace({ body: { metadata: { name } } });
	t.teardown(() =>
		api(CoreV1Api)
			.deleteNamespace({ name })
			.catch(() => undefined),
	);
	await takesPods(api(CoreV1Api), name);
	return name;
}

const ended = ({ api }: World, name: string): Promise<true | undefined> =>
	eventually(`namespace ${name} is gone`, async () => ((await gone(api(CoreV1Api).readNamespace({ name }))) ? true : undefined), 60_000);

conformance(
	'[sig-api-machinery] Namespaces [Serial] should ensure that all pods are removed when a namespace is deleted [Conformance]',
	async (world) => {
		const { api, image, t } = world;
		const core = api(CoreV1Api);
		const namespace = await another(world);
		await core.createNamespacedPod({ namespace, body: sleeper(image, 'x') });
		await inPhase({ ...world, namespace }, 'x', 'Running');
		await core.deleteNamespace({ name: namespace });
		await ended(world, namespace);
		await core.createNamespace({ body: { metadata: { name: namespace } } });
		t.is((await core.listNamespacedPod({ namespace })).items.length, 0);
	},
);

conformance(
	'[sig-api-machinery] Namespaces [Serial] should ensure that all services are removed when a namespace is deleted [Conformance]',
	async (world) => {
		const { api, t } = world;
		const core = api(CoreV1Api);
		const namespace = await another(world);
		await core.createNamespacedService({
			namespace,
			body: { metadata: { name: 's' }, spec: { selector: { a: 'b' }, ports: [{ port: 80, targetPort: 80 }] } },
		});
		await core.deleteNamespace({ name: namespace });
		await ended(world, namespace);
		await core.createNamespace({ body: { metadata: { name: namespace } } });
		t.is((await core.listNamespacedService({ namespace })).items.length, 0);
	},
);

conformance('[sig-api-machinery] Namespaces [Serial] should patch a Namespace [Conformance]', async ({ api, namespace, t }) => {
	const body = { metadata: { labels: { testLabel: 'testValue' } } };
	const patched = await api(CoreV1Api).patchNamespace({ name: namespace, body }, merge);
	t.is(patched.metadata?.labels?.['testLabel'], 'testValue');
	t.is((await api(CoreV1Api).readNamespace({ name: namespace })).metadata?.labels?.['testLabel'], 'testValue');
});

conformance(
	'[sig-api-machinery] Namespaces [Serial] should apply an update to a Namespace [Conformance]',
	async ({ api, namespace, t }) => {
		const core = api(CoreV1Api);
		const updated = await eventually('the namespace is updated', async () => {
			const body = await core.readNamespace({ name: namespace });
			(body.metadata as { labels: Record<string, string> }).labels[namespace] = 'updated';
			return core.replaceNamespace({ name: namespace, body }).catch(() => undefined);
		});
		t.is(updated.metadata?.labels?.[namespace], 'updated');
	},
);

conformance(
	'[sig-api-machinery] Namespaces [Serial] should apply changes to a namespace status [Conformance]',
	async ({ api, namespace: name, t }) => {
		const core = api(CoreV1Api);
		t.is((await core.readNamespaceStatus({ name })).status?.phase, 'Active');
		const condition = { type: 'StatusPatch', status: 'True', reason: 'E2E', message: 'Patched by an e2e test' };
		const patched = await core.patchNamespaceStatus({ name, body: { status: { conditions: [condition] } } }, merge);
		t.is(patched.status?.conditions?.find((c) => c.type === 'StatusPatch')?.message, condition.message);
		const updated = await eventually('the status is updated', async () => {
			const body = await core.readNamespaceStatus({ name });
			body.status?.conditions?.push({ type: 'StatusUpdate', status: 'True', reason: 'E2E', message: 'Updated' });
			return core.replaceNamespaceStatus({ name, body }).catch(() => undefined);
		});
		t.is(updated.status?.conditions?.find((c) => c.type === 'StatusUpdate')?.message, 'Updated');
		t.is(updated.status?.phase, 'Active');
	},
);

conformance('[sig-api-machinery] Namespaces [Serial] should apply a finalizer to a Namespace [Conformance]', async (world) => {
	const { api, t } = world;
	const core = api(CoreV1Api);
	const name = await another(world);
	const finalizer = 'e2e.example.com/fakeFinalizer';
	const finalize = (change: (finalizers: string[]) => string[]): Promise<V1Namespace> =>
		eventually('the namespace is finalized', async () => {
			const body = await core.readNamespace({ name });
			body.spec = { finalizers: change(body.spec?.finalizers ?? []) };
			return core.replaceNamespaceFinalize({ name, body }).catch(() => undefined);
		});
	t.deepEqual((await finalize((all) => [...all, finalizer])).spec?.finalizers, ['kubernetes', finalizer]);
	t.deepEqual((await finalize((all) => all.filter((f) => f !== finalizer))).spec?.finalizers, ['kubernetes']);
	await core.deleteNamespace({ name });
	await ended(world, name);
});

conformance('[sig-api-machinery] OrderedNamespaceDeletion namespace deletion should delete pod first [Conformance]', async (world) => {
	const { api, image, t } = world;
	const core = api(CoreV1Api);
	const namespace = await another(world);
	const finalizers = ['e2e.example.com/finalizer'];
	await core.createNamespacedPod({ namespace, body: sleeper(image, 'x', { metadata: { name: 'x', finalizers } }) });
	await core.createNamespacedConfigMap({ namespace, body: { metadata: { name: 'm' } } });
	await core.deleteNamespace({ name: namespace });
	await eventually('the namespace says that it waits', async () => {
		const { status } = await core.readNamespace({ name: namespace });
		return status?.conditions?.some((c) => c.type === 'NamespaceContentRemaining' && c.status === 'True');
	});
	t.truthy((await core.readNamespacedPod({ namespace, name: 'x' })).metadata?.deletionTimestamp);
	const map = await orGone(core.readNamespacedConfigMap({ namespace, name: 'm' }));
	t.true(map !== undefined && map.metadata?.deletionTimestamp === undefined);
	await core.patchNamespacedPod({ namespace, name: 'x', body: { metadata: { finalizers: [] } } }, merge);
	await ended(world, namespace);
});
