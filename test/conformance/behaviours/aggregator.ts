/** [sig-api-machinery] Aggregator: an API server of a group of its own, played by this process, behind an APIService. */
import { createServer } from 'node:https';
import type { IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { ApiregistrationV1Api, CoreV1Api } from '@kubernetes/client-node';
import { realClock } from '../../../base/clock.ts';
import { createAuthority, issue } from '../../../wire/tls/authority.ts';
import { eventually } from '../../tools/eventually.ts';
import { serve } from '../hooks.ts';
import { conformance, type World } from '../suite.ts';

interface Flunder {
	readonly metadata: { readonly name: string; readonly namespace?: string };
}

interface Sample {
	readonly caBundle: string;
	/** Users that the requests named in their front-proxy headers. */
	readonly users: Set<string>;
}

/** Serves flunders of `group`/v1alpha1 from memory. */
async function sampleServer(world: World, group: string): Promise<Sample> {
	const { namespace, t } = world;
	const groupVersion = `${group}/v1alpha1`;
	const root = `/apis/${groupVersion}`;
	const flunders = new Map<string, Flunder>();
	const users = new Set<string>();
	const all = `${root}/namespaces/${namespace}/flunders`;
	const item = (flunder: Flunder): object => ({ apiVersion: groupVersion, kind: 'Flunder', ...flunder });
	async function answer(request: IncomingMessage): Promise<readonly [number, object]> {
		const path = (request.url ?? '').split('?')[0] ?? '';
		users.add(String(request.headers['x-remote-user']));
		if (path === root || path === `/apis/${group}`) {
			const verbs = ['create', 'delete', 'get', 'list'];
			return path === root
				? [
						200,
						{
							kind: 'APIResourceList',
							apiVersion: 'v1',
							groupVersion,
							resources: [{ name: 'flunders', singularName: 'flunder', namespaced: true, kind: 'Flunder', verbs }],
						},
					]
				: [
						200,
						{
							kind: 'APIGroup',
							apiVersion: 'v1',
							name: group,
							versions: [{ groupVersion, version: 'v1alpha1' }],
							preferredVersion: { groupVersion, version: 'v1alpha1' },
						},
					];
		}
		if (path === all && request.method === 'POST') {
			const given = (await json(request)) as Flunder;
			flunders.set(given.metadata.name, given);
			return [201, item(given)];
		}
		if (path === all)
			return [200, { kind: 'FlunderList', apiVersion: groupVersion, metadata: {}, items: [...flunders.values()].map(item) }];
		const found = flunders.get(path.slice(all.length + 1));
		if (found === undefined || !path.startsWith(all))
			return [
				404,
				{ kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', reason: 'NotFound', code: 404, message: 'not found' },
			];
		if (request.method === 'DELETE') flunders.delete(found.metadata.name);
		return [200, item(found)];
	}
	const authority = await createAuthority({ commonName: 'sample-ca', days: 1 }, realClock);
	const host = `sample-api.${namespace}.svc`;
	const { certPem, keyPem } = await issue(authority, { commonName: host, dnsNames: [host], usages: ['server'], days: 1 }, realClock);
	const server = createServer({ cert: certPem, key: keyPem }, (request, response) => {
		answer(request)
			.then(([code, body]) => response.writeHead(code, { 'content-type': 'application/json' }).end(JSON.stringify(body)))
			.catch((error: unknown) => response.writeHead(500).end(String(error)));
	});
	await new Promise<void>((resolve) => server.listen(0, '0.0.0.0', resolve));
	t.teardown(() => {
		server.closeAllConnections();
		server.close();
	});
	await serve(world, 'sample-api', (server.address() as AddressInfo).port);
	return { caBundle: Buffer.from(authority.certPem).toString('base64'), users };
}

conformance(
	'[sig-api-machinery] Aggregator Should be able to support the 1.17 Sample API Server using the current Aggregator [LinuxOnly] [Conformance]',
	async (world) => {
		const { t, api, k, raw, namespace } = world;
		const registration = api(ApiregistrationV1Api);
		const group = `${namespace}.wardle.example.com`;
		const { caBundle, users } = await sampleServer(world, group);
		const name = `v1alpha1.${group}`;
		const all = `/apis/${group}/v1alpha1/namespaces/${namespace}/flunders`;
		await registration.createAPIService({
			body: {
				metadata: { name },
				spec: {
					group,
					version: 'v1alpha1',
					service: { namespace, name: 'sample-api', port: 8443 },
					groupPriorityMinimum: 2000,
					versionPriority: 200,
					caBundle,
				},
			},
		});
		const remove = (): Promise<unknown> => registration.deleteAPIService({ name }).catch(() => undefined);
		t.teardown(remove);
		await eventually('the API service is available', async () => {
			const { status } = await registration.readAPIServiceStatus({ name });
			return status?.conditions?.some((c) => c.type === 'Available' && c.status === 'True');
		});
		await eventually('its group is discovered', async () => {
			const { groups } = (await raw('GET', '/apis')).json<{ groups: { name: string }[] }>();
			return groups.some((g) => g.name === group);
		});
		const flunder = { apiVersion: `${group}/v1alpha1`, kind: 'Flunder', metadata: { name: 'mine', namespace } };
		await k.must(['create', '--validate=false', '-f', '-'], { input: JSON.stringify(flunder) });
		t.regex(await k.must(['get', `flunders.v1alpha1.${group}`, '-o', 'name']), /mine/);
		t.is((await raw('GET', `${all}/mine`)).json<Flunder>().metadata.name, 'mine');
		t.is((await raw('DELETE', `${all}/mine`)).code, 200);
		t.is((await raw('GET', all)).json<{ items: object[] }>().items.length, 0);
		t.true(
			[...users].some((user) => user.includes('admin')),
			[...users].join(', '),
		);

		await api(CoreV1Api).deleteNamespacedService({ namespace, name: 'sample-api' });
		await eventually('what cannot be reached is said to be unavailable', async () => {
			const { status } = await registration.readAPIServiceStatus({ name });
			return status?.conditions?.some((c) => c.type === 'Available' && c.status === 'False' && c.reason === 'ServiceNotFound');
		});
		t.is((await raw('GET', all)).code, 503);
		await remove();
		await eventually('its group is gone', async () => (await raw('GET', `/apis/${group}`)).code === 404);
	},
);
