/** Kubernetes' URL library: url, isURL and the parts of a URL. Absolute URLs and absolute paths are URLs. */
import { goQuote } from '../../go-quote.ts';
import { EvalError } from '../errors.ts';
import { estimates } from '../ranges.ts';
import { overload, type Overload } from '../functions.ts';
import { ArrayList, EntryMap, Opaque, type Value } from '../values.ts';
import { TRAVERSAL, walks } from './costs.ts';

interface UrlParts {
	readonly scheme: string;
	readonly host: string;
	readonly hostname: string;
	readonly port: string;
	readonly path: string;
	readonly query: ReadonlyMap<string, readonly string[]>;
}

const FORM = /^(?:([A-Za-z][A-Za-z0-9+.-]*):)?(?:\/\/(?:[^@/?#]*@)?([^/?#]*))?([^?#]*)(?:\?([^#]*))?(?:#.*)?$/s;

function parsed(text: string): UrlParts | undefined {
	const [whole, scheme = '', host = '', path = '', query = ''] = FORM.exec(text) ?? [];
	if (whole === undefined || text === '' || (scheme === '' && !text.startsWith('/'))) return undefined;
	if (/[\s\x00-\x1f\x7f]/.test(text) && (/[\x00-\x1f\x7f]/.test(text) || /\s/.test(host))) return undefined; // oxlint-disable-line no-control-regex -- Go refuses control characters
	const [, hostname = '', port = ''] = /^(\[[^\]]*\]|[^:]*)(?::(\d*))?$/.exec(host) ?? [];
	if (host !== '' && !/^(\[[0-9A-Fa-f:.%]+\]|[^:[\]]*)(:\d*)?$/.test(host)) return undefined;
	try {
		return {
			scheme: scheme.toLowerCase(),
			host,
			hostname: hostname.replace(/^\[|\]$/g, ''),
			port,
			path: decodeURIComponent(path),
			query: queryOf(query),
		};
	} catch {
		return undefined;
	}
}

function queryOf(query: string): ReadonlyMap<string, readonly string[]> {
	const out = new Map<string, string[]>();
	for (const [key, value] of new URLSearchParams(query)) out.set(key, [...(out.get(key) ?? []), value]);
	return out;
}

/** What Go says of a text that is no URL, as far as its beginning tells. */
function whyNot(text: string): string {
	if (text === '') return 'empty url';
	return text.startsWith(':') ? 'missing protocol scheme' : 'invalid URI for request';
}

const URL_TYPE = 'kubernetes.URL';
const part =
	(name: Exclude<keyof UrlParts, 'query'>) =>
	(url?: Value): Value =>
		encoded(name, (url as Opaque<UrlParts>).value[name]);

function encoded(name: string, value: string): string {
	return name === 'path' ? encodeURI(value) : value;
}

export const urls: readonly Overload[] = [
	overload(
		'string_to_url',
		'url(string): kubernetes.URL',
		(text) => {
			const parts = parsed(text as string);
			if (parts === undefined)
				throw new EvalError(`URL parse error during conversion from string: parse ${goQuote(text as string)}: ${whyNot(text as string)}`);
			return new Opaque(URL_TYPE, parts, (a, b) => JSON.stringify([a, [...a.query]]) === JSON.stringify([b, [...b.query]]));
		},
		{ ...walks(0), estimate: (args, of) => ({ cost: estimates.scale(of.size(args[0]), TRAVERSAL), size: of.size(args[0]) }) },
	),
	overload('is_url_string', 'isURL(string): bool', (text) => parsed(text as string) !== undefined),
	overload('url_get_scheme', 'kubernetes.URL::getScheme(): string', part('scheme')),
	overload('url_get_host', 'kubernetes.URL::getHost(): string', part('host')),
	overload('url_get_hostname', 'kubernetes.URL::getHostname(): string', part('hostname')),
	overload('url_get_port', 'kubernetes.URL::getPort(): string', part('port')),
	overload('url_get_escaped_path', 'kubernetes.URL::getEscapedPath(): string', part('path')),
	overload(
		'url_get_query',
		'kubernetes.URL::getQuery(): map(string, list(string))',
		(url) => new EntryMap([...(url as Opaque<UrlParts>).value.query].map(([key, values]) => [key, new ArrayList(values)] as const)),
	),
];
