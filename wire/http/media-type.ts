/** Content types, read as strictly as by Go's mime.ParseMediaType. Pure. */

const SPECIALS = '()<>@,;:\\\\"/[\\]?=';
const TOKEN = `[^\\0-\\x20\\x7f-\\uffff${SPECIALS}]+`;
const QUOTED = `"(?:\\\\[${SPECIALS}]|\\\\(?![${SPECIALS}])|[^"\\\\\\r\\n])*"`;
const PARAMETER = `\\s*;\\s*(${TOKEN})\\s*=\\s*(${TOKEN}|${QUOTED})`;
const HEADER = new RegExp(`^([^;]*)((?:${PARAMETER})*)\\s*;?\\s*$`);
const PARAMETERS = new RegExp(PARAMETER, 'g');

/** The type in small letters, without its parameters; undefined where these are malformed, or contradict each other. */
export function mediaTypeOf(header: string): string | undefined {
	if (!header.includes(';')) return header.trim().toLowerCase();
	const [, type = '', parameters] = HEADER.exec(header) ?? [];
	if (parameters === undefined) return undefined;
	const values = new Map<string, string>();
	for (const [, name = '', value = ''] of parameters.matchAll(PARAMETERS)) {
		const key = name.toLowerCase();
		const plain = plainOf(value);
		if ((values.get(key) ?? plain) !== plain) return undefined;
		values.set(key, plain);
	}
	return type.trim().toLowerCase();
}

const ESCAPED = new RegExp(`\\\\([${SPECIALS}])`, 'g');

function plainOf(value: string): string {
	return value.startsWith('"') ? value.slice(1, -1).replaceAll(ESCAPED, '$1') : value;
}
