/** Links that a server behind a proxy gives, led back through the proxy (rewriteURL of upstream's apimachinery/pkg/util/proxy/transport.go). Pure. */
import { posix } from 'node:path';

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
/** What Go's url.Parse refuses of those. */
const NO_URL = /[\x00-\x1f\x7f]|%(?![0-9a-f]{2})|^:/i;

/** As it was where it leads to another host or is relative, which leads through the proxy already. Undefined: no URL. */
export function proxiedLink(link: string, { prefix, backend, client }: ProxiedPlace): string | undefined {
	const [before = '', authority = '', path = '', rest = ''] = URI.exec(link)?.slice(1) ?? [];
	if (NO_URL.test(before + path)) return undefined;
	const host = authority.slice(authority.lastIndexOf('@') + 1);
	const isElsewhere = host !== '' && host !== backend && host !== client;
	if (isElsewhere || !path.startsWith('/')) return link;
	const start = host !== '' && host === client ? before : '';
	return `${start}${path.startsWith(prefix) ? path : posix.join(prefix, path)}${rest}`;
}
