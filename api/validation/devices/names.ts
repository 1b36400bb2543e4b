/** Names of drivers, attributes and capacities, and configuration for a driver. */
import { invalidValue, required, tooLong } from '../../field-error.ts';
import { goJson } from '../../go-json.ts';
import { dnsSubdomain } from '../names.ts';
import { texts, type Errors } from '../rule.ts';

const MAX_JSON = 10 * 1024;

export function opaqueConfiguration(
	out: Errors,
	at: string,
	opaque: { readonly driver?: string | undefined; readonly parameters?: unknown } | undefined,
	isStored = false,
): void {
	if (opaque === undefined) {
		out.push(required(`${at}.opaque`));
		return;
	}
	driverName(out, `${at}.opaque.driver`, opaque.driver ?? '');
	jsonObject(out, `${at}.opaque.parameters`, opaque.parameters, isStored);
}

/** What only a driver understands. @param isStored from before there was a limit, perhaps */
export function jsonObject(out: Errors, path: string, value: unknown, isStored = false): void {
	if (value === undefined || value === null) out.push(required(path));
	else if (!isStored && Buffer.byteLength(JSON.stringify(value)) > MAX_JSON) out.push(tooLong(path, MAX_JSON));
	else if (typeof value !== 'object' || Array.isArray(value))
		out.push(invalidValue(path, '<value omitted>', 'must be a valid JSON object'));
}

const MAX_POOL = 253;

export function poolName(out: Errors, path: string, name: string): void {
	if (name === '') {
		out.push(required(path));
		return;
	}
	if (Buffer.byteLength(name) > MAX_POOL) out.push(tooLong(path, MAX_POOL));
	for (const part of name.split('/')) texts(out, path, part, dnsSubdomain(part));
}

export function driverName(out: Errors, path: string, name: string): void {
	if (name === '') {
		out.push(required(path));
		return;
	}
	if (Buffer.byteLength(name) > 63) out.push(tooLong(path, 63));
	texts(out, path, name, dnsSubdomain(name.toLowerCase()));
}

const C_IDENTIFIER = /^[A-Za-z_][A-Za-z0-9_]*$/;
const C_TEXT =
	"a valid C identifier must start with alphabetic character or '_', followed by a string of alphanumeric characters or '_' (e.g. 'my_name',  or 'MY_NAME',  or 'MyName', regex used for validation is '[A-Za-z_][A-Za-z0-9_]*')";

export function fullyQualified(out: Errors, path: string, name: string): void {
	qualified(out, path, name);
	if (name.includes('/')) return;
	// Of a named type upstream, so that it is shown as JSON.
	const detail = 'a fully qualified name must be a domain and a name separated by a slash';
	out.push({ ...invalidValue(path, name, detail), message: `Invalid value: ${goJson(name)}: ${detail}` });
}

export function qualified(out: Errors, path: string, name: string): void {
	const parts = name.split('/');
	const [domain = '', id = ''] = parts;
	if (parts.length === 1) identifier(out, path, domain);
	else if (parts.length > 2) return;
	else {
		if (domain === '') out.push(invalidValue(path, '', 'the domain must not be empty'));
		else driverName(out, path, domain);
		if (id === '') out.push(invalidValue(path, '', 'the name must not be empty'));
		else identifier(out, path, id);
	}
}

function identifier(out: Errors, path: string, name: string): void {
	if (Buffer.byteLength(name) > 32) out.push(tooLong(path, 32));
	if (!C_IDENTIFIER.test(name)) out.push(invalidValue(path, name, C_TEXT));
}
