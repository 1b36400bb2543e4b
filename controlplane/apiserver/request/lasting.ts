/** How long a request may last: answered at once, within its time, or for as long as somebody reads. Pure. */
import type { ApiRequest } from '../contracts.ts';
import type { RequestInfo } from './request-info.ts';

const HANDED_ON = ['exec', 'attach', 'portforward', 'proxy'];
const STREAMING_SUBRESOURCES = [...HANDED_ON, 'log'];

/** Served from memory: nothing to wait for. */
export function isPlainRead(info: RequestInfo): boolean {
	return info.type === 'resource' && info.verb === 'get' && info.subresource === '';
}

/**
 * Whether its connection may be taken: by whom it is handed on to, or by events and lines of a log that come as messages.
 * @param protocol of `Upgrade`
 */
export function mayUpgrade(info: RequestInfo, protocol: string): boolean {
	if (info.type !== 'resource') return false;
	if (HANDED_ON.includes(info.subresource)) return true;
	return protocol.toLowerCase() === 'websocket' && (info.verb === 'watch' || info.subresource === 'log');
}

export function lastsLong(info: RequestInfo, request: ApiRequest): boolean {
	if (info.type === 'path') return info.path.startsWith('/debug/pprof/');
	return info.verb === 'watch' || request.upgrade !== undefined || STREAMING_SUBRESOURCES.includes(info.subresource);
}
