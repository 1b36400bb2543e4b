/** pods/proxy, services/proxy and nodes/proxy: plain requests (and upgrades) to what runs in the cluster. */
import { isIPv6 } from 'node:net';
import { posix } from 'node:path';
import type { Pod } from '../../../api/gen/types.ts';
import { ENDPOINT_SLICES, NODES, PODS, SERVICES } from '../../../api/resources.ts';
import { badRequest, notFound, serviceUnavailable } from '../../../api/status.ts';
import type { Clock } from '../../../base/clock.ts';
import type { ApiRequest, ApiResponse, ObjectReader, SubresourceHandler, SubresourceTarget } from '../contracts.ts';
import type { Backend, BackendTarget } from './backend.ts';
import { decodedPath, proxyOptions, restOf, type ProxyOptions } from './connect-options.ts';
import { proxiedAnswer } from './proxied-answer.ts';
import { readyAddresses, slicesOf } from '../webhook/endpoints.ts';
import { kubeletAddress } from '../../kubelet-address.ts';

interface Deps {
	readonly objects: ObjectReader;
	readonly clock: Clock;
	readonly kubelets: Backend;
	/** To pods and endpoints: shows no certificate, verifies none. */
	readonly workloads: Backend;
}

/** "name", "name:port" or "scheme:name:port". */
interface Id {
	readonly scheme: 'http' | 'https';
	readonly name: string;
	readonly port: string;
}

type Find = (id: Id, target: SubresourceTarget) => Omit<BackendTarget, 'path'>;

export function proxies(deps: Deps): readonly SubresourceHandler[] {
	const one = (resource: string, kind: Parameters<typeof proxyOptions>[0], backend: Backend, find: Find): SubresourceHandler => ({
		group: '',
		resource,
		subresource: 'proxy',
		connect: proxyOptions(kind),
		handle: (request, target) => pass(request, target, backend, find),
	});
	return [
		one('pods', 'PodProxyOptions', deps.workloads, (id, target) => podTarget(deps, id, target)),
		one('services', 'ServiceProxyOptions', deps.workloads, (id, target) => serviceTarget(deps, id, target)),
		one('nodes', 'NodeProxyOptions', deps.kubelets, (id) => nodeTarget(deps, id)),
	];
}

async function pass(request: ApiRequest, target: SubresourceTarget, backend: Backend, find: Find): Promise<ApiResponse> {
	const sent = restOf(request.path);
	const { path = '' } = target.options as ProxyOptions;
	// As it was sent, unless admission wants another one.
	const rest = path === decodedPath(sent) ? sent : path.split('/').map(encodeURIComponent).join('/');
	const text = request.query.toString();
	const query = text === '' ? '' : `?${text}`;
	const found = find(parseId(target.name), target);
	const isUpgrade = request.headers['upgrade'] !== undefined;
	if (rest === '' && (request.method === 'GET' || request.method === 'HEAD') && !isUpgrade) return redirected(`${request.path}/${query}`);
	const client = request.headers['host'] ?? request.headers[':authority'] ?? '';
	const headers = {
		...(client === '' ? {} : { host: client }),
		...(isUpgrade ? {} : { 'x-forwarded-uri': posix.normalize(request.path) }),
	};
	const answer = await backend.pass(request, { ...found, path: `${rest === '' ? '/' : rest}${query}`, headers });
	if (isUpgrade || answer.type !== 'stream') return answer;
	const prefix = request.path.slice(0, request.path.length - sent.length);
	return proxiedAnswer(request.method, answer, {
		prefix,
		backend: `${isIPv6(found.host) ? `[${found.host}]` : found.host}:${found.port}`,
		client,
	});
}

/** A page's relative links lead to where it was served only from below its path (upstream's proxyRedirectsforRootPath). */
function redirected(location: string): ApiResponse {
	return { type: 'bytes', status: 301, headers: { location }, body: new Uint8Array() };
}

function parseId(text: string): Id {
	const parts = text.split(':');
	const [a = '', b = '', c = ''] = parts;
	if (parts.length === 1) return { scheme: 'http', name: a, port: '' };
	if (parts.length === 2) return { scheme: 'http', name: a, port: b };
	if (parts.length > 3 || !['', 'http', 'https'].includes(a)) throw badRequest(`invalid proxy request ${JSON.stringify(text)}`);
	return { scheme: a === 'https' ? 'https' : 'http', name: b, port: c };
}

function podTarget({ objects }: Deps, id: Id, { namespace }: SubresourceTarget): Omit<BackendTarget, 'path'> {
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

function serviceTarget({ objects, clock }: Deps, id: Id, { namespace }: SubresourceTarget): Omit<BackendTarget, 'path'> {
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
