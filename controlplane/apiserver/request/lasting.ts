/** How long a request may last: answered at once, within its time, or for as long as somebody reads. Pure. */
import type { ApiRequest } from '../contracts.ts';
import type { RequestInfo } from './request-info.ts';

const HANDED_ON = ['exec', 'attach', 'portforward', 'proxy'];
const STREAMING_SUBRESOURCES = [...HANDED_ON, 'log'];

/** Served from memory: nothing to wait for. */
export function isPlainRead(info: RequestInfo): boolean {
	return info.type === 'resource' && info.verb === 'get' && info.subresource === '';
}

/** Somebody else answers it, and may take its connection. */
export function isHandedOn(info: RequestInfo): boolean {
	return info.type === 'resource' && HANDED_ON.includes(info.subresource);
}

export function lastsLong(info: RequestInfo, request: ApiRequest): boolean {
	if (info.type === 'path') return info.path.startsWith('/debug/pprof/');
	return info.verb === 'watch' || request.upgrade !== undefined || STREAMING_SUBRESOURCES.includes(info.subresource);
}
