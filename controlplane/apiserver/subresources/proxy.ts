/** pods/proxy, services/proxy and nodes/proxy: plain requests (and upgrades) to what runs in the cluster. */
import type { Pod } from '../../../api/gen/types.ts';
import { ENDPOINT_SLICES, NODES, PODS, SERVICES } from '../../../api/resources.ts';
import { badRequest, notFound, serviceUnavailable } from '../../../api/status.ts';
import type { Clock } from '../../../base/clock.ts';
import type { ApiRequest, ApiResponse, ObjectReader, SubresourceHandler } from '../contracts.ts';
import type { Backend, BackendTarget } from './backend.ts';
import { readyAddresses, slicesOf } from '../webhook/endpoints.ts';
import { kubeletAddress } from './kubelet-address.ts';

interface Deps {
	readonly objects: ObjectReader;
	readonly clock: Clock;
	readonly kubelets: Backend;
	/** To pods and endpoints: shows no certificate, verifies none. */
	readonly workloads: Backend;
}

interface Target {
	readonly namespace: string;
	readonly name: string;
}

/** "name", "name:port" or "scheme:name:port". */
interface Id {
	readonly scheme: 'http' | 'https';
	readonly name: string;
	readonly port: string;
}

export function proxies(deps: Deps): readonly SubresourceHandler[] {
	const one = (resource: string, find: (id: Id, target: Target) => Omit<BackendTarget, 'path'>, backend: Backend): SubresourceHandler => ({
		group: '',
		resource,
		subresource: 'proxy',
		handle: (request, target) => pass(request, target, backend, (id) => find(id, target)),
	});
	return [
		one('pods', (id, target) => podTarget(deps, id, target), deps.workloads),
		one('services', (id, target) => serviceTarget(deps, id, target), deps.workloads),
		one('nodes', (id) => nodeTarget(deps, id), deps.kubelets),
	];
}

function pass(request: ApiRequest, target: Target, backend: Backend, find: (id: Id) => Omit<BackendTarget, 'path'>): Promise<ApiResponse> {
	const at = request.path.indexOf('/proxy');
	const rest = at < 0 ? '' : request.path.slice(at + '/proxy'.length);
	const query = request.query.toString();
	return backend.pass(request, { ...find(parseId(target.name)), path: `${rest === '' ? '/' : rest}${query === '' ? '' : `?${query}`}` });
}

function parseId(text: string): Id {
	const parts = text.split(':');
	const [a = '', b = '', c = ''] = parts;
	if (parts.length === 1) return { scheme: 'http', name: a, port: '' };
	if (parts.length === 2) return { scheme: 'http', name: a, port: b };
	if (parts.length > 3 || !['', 'http', 'https'].includes(a)) throw badRequest(`invalid proxy request ${JSON.stringify(text)}`);
	return { scheme: a === 'https' ? 'https' : 'http', name: b, port: c };
}

function podTarget({ objects }: Deps, id: Id, { namespace }: Target): Omit<BackendTarget, 'path'> {
	const pod = objects.get(PODS, `${namespace}/${id.name}`);
	if (pod === undefined) throw notFound(PODS, id.name);
	const host = pod.status?.podIP ?? '';
	if (!allowedAddress(host)) throw badRequest('address not allowed');
	const port = id.port === '' ? firstPort(pod) : Number(id.port);
	return { scheme: id.scheme, host, port };
}

function firstPort(pod: Pod): number {
	const ports = (pod.spec?.containers ?? []).flatMap((c) => c.ports ?? []);
	return ports[0]?.containerPort ?? 80;
}

function serviceTarget({ objects, clock }: Deps, id: Id, { namespace }: Target): Omit<BackendTarget, 'path'> {
	const service = objects.get(SERVICES, `${namespace}/${id.name}`);
	if (service === undefined) throw notFound(SERVICES, id.name);
	const slices = slicesOf(objects.list(ENDPOINT_SLICES, namespace), id.name);
	if (slices.length === 0) throw notFound(SERVICES, id.name);
	const wanted = (service.spec?.ports ?? []).find((p) => (id.port === '' ? true : p.name === id.port || String(p.port) === id.port));
	if (wanted === undefined)
		throw serviceUnavailable(`no service port ${JSON.stringify(id.port)} found for service ${JSON.stringify(id.name)}`);
	const found = readyAddresses(slices, wanted.name ?? '');
	const chosen = found[Math.floor(clock.random() * found.length)];
	if (chosen === undefined) throw serviceUnavailable(`no endpoints available for service ${JSON.stringify(id.name)}`);
	return { scheme: id.scheme, ...chosen };
}

function nodeTarget({ objects }: Deps, id: Id): Omit<BackendTarget, 'path'> {
	const node = objects.get(NODES, id.name);
	if (node === undefined) throw notFound(NODES, id.name);
	const { host, port } = kubeletAddress(node);
	return { scheme: id.port === '' || Number(id.port) === port ? 'https' : id.scheme, host, port: id.port === '' ? port : Number(id.port) };
}

/** Loopback, link-local and missing addresses would reach the API server's own host (upstream's proxyutil.IsProxyableIP). */
function allowedAddress(host: string): boolean {
	return host !== '' && !/^(127\.|169\.254\.|0\.0\.0\.0$|::1?$|fe80:)/i.test(host);
}
