/** pods/proxy, services/proxy and nodes/proxy: plain requests (and upgrades) to what runs in the cluster. */
import type { ApiRequest, ApiResponse, Maybe, SubresourceHandler, SubresourceTarget } from '../../contracts.ts';
import { hostPort } from '../../../../base/host-port.ts';
import type { Backend } from './backend.ts';
import { decodedPath, proxyOptions, type ProxyOptions } from '../streams/connect-options.ts';
import { proxiedAnswer } from './proxied-answer.ts';
import { proxiedPath } from './proxied-path.ts';
import { nodeTarget, podTarget, serviceTarget, type Found, type ProxyDeps } from './proxy-targets.ts';

interface Deps extends ProxyDeps {
	readonly kubelets: Backend;
	/** To pods and endpoints: shows no certificate, verifies none. */
	readonly workloads: Backend;
}

type Find = (target: SubresourceTarget) => Maybe<Found>;

export function proxies(deps: Deps): readonly SubresourceHandler[] {
	const one = (resource: string, kind: Parameters<typeof proxyOptions>[0], backend: Backend, find: Find): SubresourceHandler => ({
		group: '',
		resource,
		subresource: 'proxy',
		connect: proxyOptions(kind),
		handle: (request, target) => pass(request, target, backend, find),
	});
	return [
		one('pods', 'PodProxyOptions', deps.workloads, ({ name, namespace }) => podTarget(deps, name, namespace)),
		one('services', 'ServiceProxyOptions', deps.workloads, ({ name, namespace }) => serviceTarget(deps, name, namespace)),
		one('nodes', 'NodeProxyOptions', deps.kubelets, ({ name }) => nodeTarget(deps, name)),
	];
}

async function pass(request: ApiRequest, target: SubresourceTarget, backend: Backend, find: Find): Promise<ApiResponse> {
	const { path: rest = '' } = target.options as ProxyOptions;
	const asked = decodedPath(request.path);
	const { sent, prefix, forwarded } = proxiedPath(asked, rest);
	const query = queryOf(request);
	const found = await find(target);
	const isUpgrade = request.upgrade !== undefined;
	if (sent === '' && (request.method === 'GET' || request.method === 'HEAD') && !isUpgrade) return redirected(`${asked}/${query}`);
	const client = request.headers['host'] ?? request.headers[':authority'] ?? '';
	const headers = { ...(client === '' ? {} : { host: client }), ...(isUpgrade ? {} : { 'x-forwarded-uri': forwarded }) };
	const answer = await backend.pass(request, { ...found, path: `${sent === '' ? '/' : sent}${query}`, headers });
	if (isUpgrade || answer.type !== 'stream') return answer;
	return proxiedAnswer(request.method, answer, { prefix, backend: hostPort(found.host, found.port), client });
}

/** As it was sent, whatever it means. */
function queryOf({ uri, query }: ApiRequest): string {
	if (uri === undefined) return query.size === 0 ? '' : `?${query.toString()}`;
	const at = uri.indexOf('?');
	return at < 0 ? '' : uri.slice(at);
}

/** A page's relative links lead to where it was served only from below its path (upstream's proxyRedirectsforRootPath). */
function redirected(location: string): ApiResponse {
	return { type: 'bytes', status: 301, headers: { location }, body: new Uint8Array() };
}
