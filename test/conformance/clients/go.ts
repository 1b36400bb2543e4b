/** client-go and controller-runtime: informers, watches, apply, leader election, and an operator with a CRD and all three kinds of webhook. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
	CoordinationV1Api,
	CoreV1Api,
	CustomObjectsApi,
	PatchStrategy,
	setHeaderOptions,
	type KubernetesObject,
} from '@kubernetes/client-node';
import { realClock } from '../../../base/clock.ts';
import { createAuthority, issue } from '../../../wire/tls/authority.ts';
import { must, Running } from '../../tools/command.ts';
import { goModule } from '../../tools/go-tool.ts';
import { ownPort } from '../../tools/ports.ts';
import { defined } from '../crd.ts';
import { eventually } from '../../tools/eventually.ts';
import { gone, refusal } from '../refusals.ts';
import { rule, serve, webhook, type Hooks } from '../hooks.ts';
import { behaves, type World } from '../suite.ts';
import { configured } from '../webhook-configurations.ts';

const merge = setHeaderOptions('Content-Type', PatchStrategy.MergePatch);
export const goClients = (): Promise<string> => goModule('clients', join(import.meta.dirname, '..', 'go'));

behaves('client-go: informers, resumed watches, apply and leader election, in protobuf and in JSON', async ({ t, env, namespace }) => {
	const said = await must(await goClients(), ['clients', '--namespace', namespace], { env, timeoutMs: 240_000 });
	const clients = ['informer', 'watch', 'apply', 'leader election'];
	for (const encoding of ['protobuf', 'json']) for (const client of clients) t.true(said.includes(`ok: ${client} ${encoding}`), said);
	t.true(said.includes('ok: metadata'));
});

type Widget = KubernetesObject & {
	readonly spec: { readonly size: number | string; readonly colour?: string };
	readonly status?: { readonly observedGeneration?: number; readonly by?: string };
};

const status = { type: 'object', properties: { observedGeneration: { type: 'integer' }, by: { type: 'string' } } };
const widgetVersion = (name: string, size: object): object => ({
	name,
	served: true,
	storage: name === 'v2',
	subresources: { status: {} },
	schema: {
		openAPIV3Schema: {
			type: 'object',
			required: ['spec'],
			properties: { spec: { type: 'object', required: ['size'], properties: { size, colour: { type: 'string' } } }, status },
		},
	},
});

interface Operator {
	start(identity: string): Running;
}

/** The CRD, the webhooks and the certificate that the operator's chart would bring. */
async function installed(world: World): Promise<Operator> {
	const { namespace, env, t } = world;
	const binary = await goClients();
	const port = await ownPort('0.0.0.0');
	const certDir = await mkdtemp(join(tmpdir(), 'kubeling-operator-'));
	t.teardown(() => rm(certDir, { recursive: true, force: true }));
	const authority = await createAuthority({ commonName: 'operator-ca', days: 1 }, realClock);
	const host = `operator.${namespace}.svc`;
	const { certPem, keyPem } = await issue(authority, { commonName: host, dnsNames: [host], usages: ['server'], days: 1 }, realClock);
	await writeFile(join(certDir, 'tls.crt'), certPem);
	await writeFile(join(certDir, 'tls.key'), keyPem, { mode: 0o600 });
	await serve(world, 'operator', port);
	const caBundle = Buffer.from(authority.certPem).toString('base64');
	const client = (path: string): ReturnType<Hooks['client']> => ({ service: { namespace, name: 'operator', path, port: 8443 }, caBundle });
	const group = 'kubeling.test';
	await defined(world, {
		group,
		kind: 'Widget',
		plural: 'widgets',
		path: (v = 'v2') => `/apis/${group}/${v}/namespaces/${namespace}/widgets`,
		definition: {
			metadata: { name: `widgets.${group}` },
			spec: {
				group,
				scope: 'Namespaced',
				names: { plural: 'widgets', singular: 'widget', kind: 'Widget', listKind: 'WidgetList' },
				versions: [widgetVersion('v1', { type: 'string' }), widgetVersion('v2', { type: 'integer' })] as never,
				conversion: { strategy: 'Webhook', webhook: { conversionReviewVersions: ['v1'], clientConfig: client('/convert') as never } },
			},
		},
	});
	const hooks: Hooks = { client, asked: [], server: undefined as never };
	const rules = [rule('widgets', ['CREATE', 'UPDATE'], group, 'v2')];
	const named = (path: string): ReturnType<typeof webhook> => webhook(world, hooks, path, rules, { name: `widgets.${group}` });
	await configured(world, 'mutating', named('/mutate-kubeling-test-v2-widget'));
	await configured(world, 'validating', named('/validate-kubeling-test-v2-widget'));
	return {
		start: (identity) =>
			new Running(
				binary,
				['operator', '--namespace', namespace, '--cert-dir', certDir, '--port', String(port), '--identity', identity],
				env,
			),
	};
}

behaves('controller-runtime: an operator with a CRD, webhooks that default, refuse and convert, and leader election', async (world) => {
	const { api, namespace, t } = world;
	const objects = api(CustomObjectsApi);
	const which = { group: 'kubeling.test', namespace, plural: 'widgets' };
	const operator = await installed(world);
	const create = (name: string, v: string, spec: object): Promise<Widget> =>
		objects.createNamespacedCustomObject({
			...which,
			version: v,
			body: { apiVersion: `kubeling.test/${v}`, kind: 'Widget', metadata: { name }, spec },
		}) as Promise<Widget>;
	const read = (name: string, v = 'v2'): Promise<Widget> =>
		objects.getNamespacedCustomObject({ ...which, version: v, name }) as Promise<Widget>;
	const settled = (name: string, by: string): Promise<Widget> =>
		eventually(`${name} is settled by ${by}`, async () => {
			const widget = await read(name);
			return widget.status?.observedGeneration === widget.metadata?.generation && widget.status?.by === by && widget;
		});
	{
		await using first = operator.start('first');
		await first.waitFor(/leading: first/);
		await eventually('its webhooks answer', async () => (await refusal(create('a', 'v2', { size: 3 }))).code === 200);
		t.is((await read('a')).spec.colour, 'green');
		t.regex((await refusal(create('big', 'v2', { size: 101 }))).message, /denied the request: size 101 is more than 100/);
		await create('b', 'v1', { size: '7', colour: 'red' }); // asked about in v2, as the rule says
		t.deepEqual((await read('b')).spec, { size: 7, colour: 'red' });
		t.deepEqual((await read('b', 'v1')).spec, { size: '7', colour: 'red' });
		await settled('a', 'first');
		const owned = await eventually('the owned object is there', () =>
			api(CoreV1Api)
				.readNamespacedConfigMap({ namespace, name: 'a-settings' })
				.catch(() => undefined),
		);
		t.deepEqual({ ...owned.data }, { size: '3', colour: 'green' });
		t.is(owned.metadata?.ownerReferences?.[0]?.kind, 'Widget');
		await api(CoreV1Api).deleteNamespacedConfigMap({ namespace, name: 'a-settings' });
		await eventually(
			'it is made again',
			async () => !(await gone(api(CoreV1Api).readNamespacedConfigMap({ namespace, name: 'a-settings' }))),
		);
		process.kill(first.pid, 'SIGTERM'); // it lets go of the lease
		await first.waitFor(/stopped: first/);
	}
	await using second = operator.start('second');
	await second.waitFor(/leading: second/, 60_000);
	const lease = await api(CoordinationV1Api).readNamespacedLease({ namespace, name: 'widgets.kubeling.test' });
	t.true((lease.spec?.leaseTransitions ?? 0) >= 1);
	await objects.patchNamespacedCustomObject({ ...which, version: 'v2', name: 'a', body: { spec: { size: 4 } } }, merge);
	await settled('a', 'second');
	await eventually('the owned object follows', async () => {
		const { data } = await api(CoreV1Api).readNamespacedConfigMap({ namespace, name: 'a-settings' });
		return data?.['size'] === '4';
	});
	for (const name of ['a', 'b']) await objects.deleteNamespacedCustomObject({ ...which, version: 'v2', name });
	await eventually('its finalizer is taken off', async () => (await gone(read('a'))) && (await gone(read('b'))));
	await eventually('what it owned is collected', () => gone(api(CoreV1Api).readNamespacedConfigMap({ namespace, name: 'a-settings' })));
});
