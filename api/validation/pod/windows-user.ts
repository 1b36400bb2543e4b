/** "user" or "domain\\user", as Windows names them (upstream validateWindowsSecurityContextOptions). Pure. */

const MAX_USER = 104;
const MAX_DOMAIN = 255;
const NETBIOS = /^[^\\/:*?"<>|.][^\\/:*?"<>|]{0,14}$/u;
const DNS_PART = '[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?';
const DNS = new RegExp(`^${DNS_PART}(?:\\.${DNS_PART})*$`);
// oxlint-disable-next-line no-control-regex
const CONTROL = /[\u0000-\u001f\u007f]/;

/** What is wrong, to follow the name of the field. */
export function windowsUser(given: string): readonly string[] {
	if (given === '') return [' cannot be an empty string'];
	if (CONTROL.test(given)) return [' cannot contain control characters'];
	const parts = given.split('\\');
	if (parts.length > 2) return [' cannot contain more than one backslash'];
	const out: string[] = [];
	const user = parts.at(-1) ?? '';
	const domain = parts.length === 2 ? parts[0] : undefined;
	if (Buffer.byteLength(domain ?? '') > MAX_DOMAIN) out.push(`'s Domain length must be under ${MAX_DOMAIN + 1} characters`);
	if (domain !== undefined && !NETBIOS.test(domain) && !DNS.test(domain))
		out.push("'s Domain doesn't match the NetBios nor the DNS format");
	if (user === '') out.push("'s User cannot be empty");
	else if (Buffer.byteLength(user) > MAX_USER) out.push(`'s User length must not be longer than ${MAX_USER} characters`);
	if (/^[. ]+$/.test(user)) out.push("'s User cannot contain only periods or spaces");
	if (/["/\\[\]:;|=,+*?<>@]/.test(user)) out.push(`'s User cannot contain the following characters: "/\\:;|=,+*?<>@[]`);
	return out;
}
