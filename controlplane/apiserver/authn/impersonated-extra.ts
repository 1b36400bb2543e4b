/** What constrained impersonation refuses of the extra facts about a user, in upstream's words. Pure. */
import { dnsSubdomain } from '../../../api/validation/names.ts';

const PATH = String.raw`[A-Za-z0-9/\-._~%!$&'()*+,;=:]+`;
const WHOLE_PATH = new RegExp(`^${PATH}$`);

export function refusedExtra(extra: Readonly<Record<string, readonly string[]>>): string | undefined {
	for (const [key, values] of Object.entries(extra)) {
		if (key === '') return 'impersonating the empty string key in extra is not allowed';
		const wrong = wrongKey(key);
		if (wrong !== undefined) return `impersonating an invalid key in extra is not allowed: ${wrong}`;
		if (key !== key.toLowerCase()) return `impersonating a non-lowercase key in extra is not allowed: ${JSON.stringify(key)}`;
		if (values.length === 0) return 'impersonating empty values in extra is not allowed';
		if (values.includes('')) return 'impersonating the empty string value in extra is not allowed';
	}
	return undefined;
}

/** Keys are domains with a path behind them. */
function wrongKey(key: string): string | undefined {
	const invalid = (value: string, why: string): string => `extra.key: Invalid value: ${JSON.stringify(value)}: ${why}`;
	const at = key.indexOf('/');
	if (at <= 0 || at === key.length - 1) return invalid(key, 'must be a domain-prefixed path (such as "acme.io/foo")');
	const [domain, path] = [key.slice(0, at), key.slice(at + 1)];
	const errors = dnsSubdomain(domain).map((why) => invalid(domain, why));
	if (!WHOLE_PATH.test(path)) errors.push(invalid(path, `Invalid path (regex used for validation is '${PATH}')`));
	return errors.length === 0 ? undefined : errors.length === 1 ? errors[0] : `[${errors.join(', ')}]`;
}
