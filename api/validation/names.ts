/** Rules for names and other short texts: each answers what is wrong, in upstream's words (apimachinery util/validation). */

export type NameRule = (name: string, prefix?: boolean) => readonly string[];

const LABEL = '[a-z0-9]([-a-z0-9]*[a-z0-9])?';
const SUBDOMAIN = `${LABEL}(\\.${LABEL})*`;
const DNS_1035 = '[a-z]([-a-z0-9]*[a-z0-9])?';
const QUALIFIED = '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]';
const LABEL_VALUE = '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?';

const full = (pattern: string): RegExp => new RegExp(`^${pattern}$`);
const LABEL_RE = full(LABEL);
const SUBDOMAIN_RE = full(SUBDOMAIN);
const DNS_1035_RE = full(DNS_1035);
const QUALIFIED_RE = full(QUALIFIED);
const LABEL_VALUE_RE = full(LABEL_VALUE);

const LABEL_TEXT = `a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '${LABEL}')`;
const SUBDOMAIN_TEXT = `a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '${SUBDOMAIN}')`;
const DNS_1035_TEXT = `a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '${DNS_1035}')`;
const QUALIFIED_TEXT = `must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '${QUALIFIED}')`;
const LABEL_VALUE_TEXT = `a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '${LABEL_VALUE}')`;
const WILDCARD_TEXT = `a wildcard DNS-1123 subdomain must start with '*.', followed by a valid DNS subdomain, which must consist of lower case alphanumeric characters, '-' or '.' and end with an alphanumeric character (e.g. '*.example.com', regex used for validation is '\\*\\.${SUBDOMAIN}')`;

/** The prefix of a generated name may end with a dash. */
const masked = (name: string, prefix: boolean | undefined): string =>
	prefix === true && name.length > 1 && name.endsWith('-') ? `${name.slice(0, -2)}a` : name;

function dns(limit: number, pattern: RegExp, text: string): NameRule {
	return (given, prefix) => {
		const name = masked(given, prefix);
		const out: string[] = [];
		if (Buffer.byteLength(name) > limit) out.push(`must be no more than ${limit} characters`);
		if (!pattern.test(name)) out.push(text);
		return out;
	};
}

/** Dots have a text of their own where nothing else is wrong with the label. */
export const dnsLabel: NameRule = (given, prefix) => {
	const complaints = plainLabel(given, prefix);
	if (!complaints.includes(LABEL_TEXT) || !SUBDOMAIN_RE.test(masked(given, prefix))) return complaints;
	return complaints.map((text) => (text === LABEL_TEXT ? 'must not contain dots' : text));
};
const plainLabel = dns(63, LABEL_RE, LABEL_TEXT);
export const dnsSubdomain = dns(253, SUBDOMAIN_RE, SUBDOMAIN_TEXT);
export const dns1035Label = dns(63, DNS_1035_RE, DNS_1035_TEXT);

/** As a subdomain, in the words of kinds whose names are declared; the prefix of a generated one is left to the rules of all kinds. */
export const byteCounted: NameRule = (name, prefix) => (prefix === true ? [] : dnsSubdomain(name).map(inBytes));

/** Search paths may have underscores. */
const UNDERSCORED_LABEL = '_?[a-z0-9]([-_a-z0-9]*[a-z0-9])?';
const UNDERSCORED = `${UNDERSCORED_LABEL}(\\.${UNDERSCORED_LABEL})*`;
const UNDERSCORED_TEXT = `a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '_', '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '${UNDERSCORED}')`;
export const searchPath = dns(253, full(UNDERSCORED), UNDERSCORED_TEXT);

/** What may stand in a path: RBAC names and, for every kind, the least. */
export const pathSegment: NameRule = (name, prefix) => {
	if (prefix !== true && (name === '.' || name === '..')) return [`may not be '${name}'`];
	return ['/', '%'].filter((c) => name.includes(c)).map((c) => `may not contain '${c}'`);
};

export function wildcardSubdomain(value: string): readonly string[] {
	const out: string[] = [];
	if (Buffer.byteLength(value) > 253) out.push('must be no more than 253 characters');
	if (!(value.startsWith('*.') && SUBDOMAIN_RE.test(value.slice(2)))) out.push(WILDCARD_TEXT);
	return out;
}

/** Newer rules count bytes where older ones say characters. */
const inBytes = (text: string): string => (text === 'must be no more than 253 characters' ? 'must be no more than 253 bytes' : text);

/** `name` or `prefix/name`: label keys, annotation keys, taint keys, resource names. */
export function qualifiedName(value: string): readonly string[] {
	const parts = value.split('/');
	const out: string[] = [];
	if (parts.length > 2)
		return [`a valid label key ${QUALIFIED_TEXT} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`];
	const name = parts.at(-1) ?? '';
	if (parts.length === 2) {
		const [prefix = ''] = parts;
		if (prefix === '') out.push('prefix part must be non-empty');
		else out.push(...dnsSubdomain(prefix).map((text) => `prefix part ${inBytes(text)}`));
	}
	if (name === '') out.push('name part must be non-empty');
	else if (Buffer.byteLength(name) > 63) out.push('name part must be no more than 63 bytes');
	if (!QUALIFIED_RE.test(name)) out.push(`name part ${QUALIFIED_TEXT}`);
	return out;
}

export function labelValue(value: string): readonly string[] {
	const out: string[] = [];
	if (Buffer.byteLength(value) > 63) out.push('must be no more than 63 bytes');
	if (!LABEL_VALUE_RE.test(value)) out.push(LABEL_VALUE_TEXT);
	return out;
}

/** Names of container and service ports (IANA service names). */
export function portName(value: string): readonly string[] {
	const out: string[] = [];
	if (Buffer.byteLength(value) > 15) out.push('must be no more than 15 characters');
	if (!/^[-a-z0-9]+$/.test(value)) out.push('must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)');
	if (!/[a-z]/.test(value)) out.push('must contain at least one letter (a-z)');
	if (value.includes('--')) out.push('must not contain consecutive hyphens');
	if (value !== '' && (value.startsWith('-') || value.endsWith('-'))) out.push('must not begin or end with a hyphen');
	return out;
}

export function portNumber(value: number): readonly string[] {
	return value >= 1 && value <= 65_535 ? [] : ['must be between 1 and 65535, inclusive'];
}

/** Keys of ConfigMaps and Secrets. */
export function configKey(value: string): readonly string[] {
	const out: string[] = [];
	if (Buffer.byteLength(value) > 253) out.push('must be no more than 253 characters');
	if (!/^[-._a-zA-Z0-9]+$/.test(value))
		out.push(
			"a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. 'key.name',  or 'KEY_NAME',  or 'key-name', regex used for validation is '[-._a-zA-Z0-9]+')",
		);
	if (value === '.') out.push("must not be '.'");
	else if (value === '..') out.push("must not be '..'");
	else if (value.startsWith('..')) out.push("must not start with '..'");
	return out;
}

export function envName(value: string): readonly string[] {
	return /^[ -<>-~]+$/.test(value)
		? []
		: ["a valid environment variable name must consist only of printable ASCII characters other than '='"];
}

export function headerName(value: string): readonly string[] {
	return /^[-A-Za-z0-9]+$/.test(value)
		? []
		: [
				"a valid HTTP header must consist of alphanumeric characters or '-' (e.g. 'X-Header-Name', regex used for validation is '[-A-Za-z0-9]+')",
			];
}

export function percent(value: string): readonly string[] {
	return /^[0-9]+%$/.test(value)
		? []
		: [
				"a valid percent string must be a numeric string followed by an ending '%' (e.g. '1%',  or '93%', regex used for validation is '[0-9]+%')",
			];
}

/** "acme.io/foo" */
export function domainPrefixedPath(value: string): readonly string[] {
	const at = value.indexOf('/');
	if (at <= 0 || at === value.length - 1) return ['must be a domain-prefixed path (such as "acme.io/foo")'];
	return dnsSubdomain(value.slice(0, at));
}
