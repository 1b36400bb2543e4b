/** What pods/proxy, services/proxy and nodes/proxy lead to (ResourceLocation of upstream's registries). */
import type { EndpointAddress, Pod } from '../../../../api/gen/types.ts';
import { goQuote } from '../../../../api/go-quote.ts';
import { int64Error } from '../../../../api/go-integer.ts';
import { ENDPOINTS, NODES, PODS, SERVICES } from '../../../../api/resources.ts';
import { badRequest, notFound, serviceUnavailable } from '../../../../api/status.ts';
import type { Clock } from '../../../../base/clock.ts';
import type { ObjectReader } from '../../contracts.ts';
import { kubeletAddress } from '../../../kubelet-address.ts';
import type { BackendTarget } from './backend.ts';
import { checkProxyable, isGlobalUnicast } from './proxyable.ts';

export interface ProxyDeps {
	readonly objects: ObjectReader;
	readonly clock: Clock;
	/** Of nodes' addresses those that reach their kubelets, in order. */
	readonly kubeletAddressTypes?: readonly string[] | undefined;
}

export type Found = Pick<BackendTarget, 'scheme' | 'host' | 'port' | 'tls'>;

/** "name", "name:port" or "scheme:name:port". */
interface Id {
	readonly scheme: 'http' | 'https';
	readonly name: string;
	readonly port: string;
}

const DEFAULT_PORTS = { http: 80, https: 443 };

/** @param what the kind, as an error names it */
function parseId(text: string, what: string): Id {
	const parts = text.split(':');
	const [scheme = '', name = '', port = ''] = parts.length < 3 ? ['', ...parts] : parts;
	if (parts.length > 3 || name === '' || !['', 'http', 'https'].includes(scheme))
		throw badRequest(`invalid ${what} request ${goQuote(text)}`);
	return { scheme: scheme === 'https' ? 'https' : 'http', name, port };
}

/** Only numbers lead anywhere: upstream breaks the connection where one is none. */
function portOf(text: string, id: string, what: string): number {
	if (!/^\d+$/.test(text)) throw badRequest(`invalid ${what} request ${goQuote(id)}`);
	return Number(text);
}

export function podTarget({ objects }: ProxyDeps, id: string, namespace: string): Found {
	const { scheme, name, port } = parseId(id, 'pod');
	const pod = objects.get(PODS, `${namespace}/${name}`);
	if (pod === undefined) throw notFound(PODS, name);
	const host = pod.status?.podIPs?.[0]?.ip ?? pod.status?.podIP ?? '';
	if (!isGlobalUnicast(host)) throw badRequest('address not allowed');
	return { scheme, host, port: port === '' ? (firstPort(pod) ?? DEFAULT_PORTS[scheme]) : portOf(port, id, 'pod') };
}

function firstPort(pod: Pod): number | undefined {
	return (pod.spec?.containers ?? []).flatMap((c) => c.ports ?? [])[0]?.containerPort;
}

/** Only to pods of the service's own namespace: whoever writes Endpoints could lead anywhere else. */
export function serviceTarget({ objects, clock }: ProxyDeps, id: string, namespace: string): Found {
	const { scheme, name, port } = parseId(id, 'service');
	const portName = int64Error(port) === undefined ? portNameOf(objects, namespace, name, Number(port)) : port;
	const endpoints = objects.get(ENDPOINTS, `${namespace}/${name}`);
	if (endpoints === undefined) throw notFound(SERVICES, name);
	const { subsets = [] } = endpoints;
	if (subsets.length === 0) throw serviceUnavailable(`no endpoints available for service ${goQuote(name)}`);
	for (const { addresses = [], ports = [] } of fromAnywhere(subsets, clock)) {
		for (const { name: known = '', port: number } of ports) {
			if (known !== portName) continue;
			const found = fromAnywhere(addresses, clock).find((address) => isOfPod(objects, address, namespace));
			if (found !== undefined) return { scheme, host: found.ip, port: number };
		}
	}
	throw serviceUnavailable(`no endpoints available for service ${goQuote(id)}`);
}

function portNameOf(objects: ObjectReader, namespace: string, name: string, port: number): string {
	const service = objects.get(SERVICES, `${namespace}/${name}`);
	if (service === undefined) throw notFound(SERVICES, name);
	const found = (service.spec?.ports ?? []).find((known) => known.port === port);
	if (found === undefined) throw serviceUnavailable(`no service port ${port} found for service ${goQuote(name)}`);
	return found.name ?? '';
}

/** In their order, beginning with any of them. */
function fromAnywhere<T>(list: readonly T[], clock: Clock): readonly T[] {
	const at = Math.floor(clock.random() * list.length);
	return [...list.slice(at), ...list.slice(0, at)];
}

function isOfPod(objects: ObjectReader, { ip, targetRef }: EndpointAddress, namespace: string): boolean {
	if (targetRef?.namespace !== namespace) return false;
	const pod = objects.get(PODS, `${namespace}/${targetRef.name ?? ''}`);
	return (pod?.status?.podIPs ?? []).some((known) => known.ip === ip);
}

export async function nodeTarget({ objects, kubeletAddressTypes }: ProxyDeps, id: string): Promise<Found> {
	const { scheme, name, port: asked } = parseId(id, 'node');
	const node = objects.get(NODES, name);
	if (node === undefined) throw notFound(NODES, name);
	const { host, port } = kubeletAddress(node, kubeletAddressTypes);
	await checkProxyable(host);
	if (asked === '' || asked === String(port)) return { scheme: 'https', host, port };
	// What is no kubelet is not shown the certificate that kubelets know us by.
	return { scheme, host, port: portOf(asked, id, 'node'), tls: {} };
}
