/** Links that a server behind a proxy gives, led back through the proxy (rewriteURL of upstream's apimachinery/pkg/util/proxy/transport.go). Pure. */
import { posix } from 'node:path';
import { decodedPath } from '../streams/connect-options.ts';
import { escapedPath } from './proxied-path.ts';

export interface ProxiedPlace {
	/** The path of the proxy itself: "/api/v1/namespaces/n/pods/p/proxy". */
	readonly prefix: string;
	/** "host:port" by which the API server reaches what is behind. */
	readonly backend: string;
	/** The Host header of the client, which may be that of a proxy before this one. */
	readonly client: string;
}

/** RFC 3986, appendix B: what stands before the path (scheme, authority), the path, and the rest. */
const URI = /^((?:[^:/?#]+:)?(?:\/\/([^/?#]*))?)([^?#]*)(.*)$/s;

/** As it was where it leads to another host or is relative, which leads through the proxy already. */
export function proxiedLink(link: string, { prefix, backend, client }: ProxiedPlace): string {
	const [before = '', authority = '', path = '', rest = ''] = URI.exec(link)?.slice(1) ?? [];
	const host = authority.slice(authority.lastIndexOf('@') + 1);
	const isElsewhere = host !== '' && host !== backend && host !== client;
	if (isElsewhere || !path.startsWith('/')) return `${before}${escapedRest(path)}${rest}`;
	const start = host !== '' && host === client ? before : '';
	const decoded = decodedPath(path);
	return `${start}${decoded.startsWith(prefix) ? escapedRest(path) : escapedPath(posix.join(prefix, decoded))}${rest}`;
}

/** What Go's URL.String escapes besides in a path that it has read. */
function escapedRest(path: string): string {
	return path.toWellFormed().replaceAll(/[^\w\-.~!$&'()*+,;=:@/%[\]]/gu, encodeURIComponent);
}
