/** Where a webhook is: a URL of its own, or a service of the cluster (apiserver util/webhook/validation.go). */
import { invalidValue, required } from '../field-error.ts';
import { dnsSubdomain } from './names.ts';
import { present, type Errors } from './rule.ts';

interface Service {
	readonly name?: string | undefined;
	readonly namespace?: string | undefined;
	readonly path?: string | undefined;
	readonly port?: number | undefined;
}

export function webhookService(out: Errors, at: string, { name, namespace, path, port = 443 }: Service): void {
	// Upstream mixes the two up.
	present(out, `${at}.name`, namespace);
	present(out, `${at}.namespace`, name);
	if (port < 1 || port > 65_535) out.push(invalidValue(`${at}.port`, port, 'port is not valid: must be between 1 and 65535, inclusive'));
	if (path !== undefined) servicePath(out, `${at}.path`, path);
}

const URL_FORM = 'desired format: https://host[/path]';

/** A text without a scheme is a path to Go's parser, and valid. */
export function webhookUrl(out: Errors, path: string, text: string): void {
	const fault = unreadable(text);
	if (fault !== undefined) {
		out.push(required(path, `url must be a valid URL: ${fault}; ${URL_FORM}`));
		return;
	}
	const [, scheme = '', rest = text] = /^(?:([A-Za-z][A-Za-z0-9+.-]*):)?(.*)$/s.exec(text) ?? [];
	const [, authority = '', query = '', fragment = ''] = /^(?:\/\/([^/?#]*))?[^?#]*(?:\?([^#]*))?(?:#(.*))?$/s.exec(rest) ?? [];
	const colon = scheme === '' && /^[^/?#]*:/.test(text) && !text.startsWith('/');
	if (colon) {
		const why = text.startsWith(':') ? 'missing protocol scheme' : 'first path segment in URL cannot contain colon';
		out.push(required(path, `url must be a valid URL: parse ${JSON.stringify(text)}: ${why}; ${URL_FORM}`));
		return;
	}
	const at = authority.lastIndexOf('@');
	const [user, host] = at < 0 ? [undefined, authority] : [authority.slice(0, at), authority.slice(at + 1)];
	if (scheme.toLowerCase() !== 'https')
		out.push(invalidValue(path, scheme.toLowerCase(), `'https' is the only allowed URL scheme; ${URL_FORM}`));
	if (host === '') out.push(invalidValue(path, host, `host must be specified; ${URL_FORM}`));
	if (user !== undefined) out.push(invalidValue(path, user, 'user information is not permitted in the URL'));
	if (fragment !== '') out.push(invalidValue(path, fragment, 'fragments are not permitted in the URL'));
	if (query !== '') out.push(invalidValue(path, query, 'query parameters are not permitted in the URL'));
}

/** What Go's parser stops at first. */
function unreadable(text: string): string | undefined {
	const parse = `parse ${JSON.stringify(text)}`;
	// oxlint-disable-next-line no-control-regex
	if (/[\u0000-\u001f\u007f]/.test(text)) return `${parse}: net/url: invalid control character in URL`;
	const escape = /%(?![0-9A-Fa-f]{2}).{0,2}/u.exec(text.replace(/\?.*$/s, ''));
	return escape === null ? undefined : `${parse}: invalid URL escape ${JSON.stringify(escape[0])}`;
}

function servicePath(out: Errors, at: string, path: string): void {
	if (path === '/' || path === '') return;
	if (path === '//') {
		out.push(invalidValue(at, path, 'segment[0] may not be empty'));
		return;
	}
	if (!path.startsWith('/')) out.push(invalidValue(at, path, "must start with a '/'"));
	const steps = path.slice(1).split('/');
	if (steps.at(-1) === '' && steps.length > 1) steps.pop();
	for (const [i, step] of steps.entries()) {
		if (step === '') out.push(invalidValue(at, path, `segment[${i}] may not be empty`));
		else for (const text of dnsSubdomain(step)) out.push(invalidValue(at, path, `segment[${i}]: ${text}`));
	}
}
