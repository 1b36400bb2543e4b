/** Where a webhook is: a URL of its own, or a service of the cluster (apiserver util/webhook/validation.go). */
import { invalidValue, required } from '../field-error.ts';
import { parseUrl } from '../go-url.ts';
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
	const url = parseUrl(text);
	if ('fault' in url) {
		out.push(required(path, `url must be a valid URL: ${url.fault}; ${URL_FORM}`));
		return;
	}
	const { scheme, host, user, fragment, query } = url;
	if (scheme !== 'https') out.push(invalidValue(path, scheme, `'https' is the only allowed URL scheme; ${URL_FORM}`));
	if (host === '') out.push(invalidValue(path, host, `host must be specified; ${URL_FORM}`));
	if (user !== undefined) out.push(invalidValue(path, user, 'user information is not permitted in the URL'));
	if (fragment !== '') out.push(invalidValue(path, fragment, 'fragments are not permitted in the URL'));
	if (query !== '') out.push(invalidValue(path, query, 'query parameters are not permitted in the URL'));
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
