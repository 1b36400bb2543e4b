/** What Go's url.ParseRequestURI takes: a path, a scheme with anything, or with an authority and a path. */

const USER = /^[A-Za-z0-9\-._:~!$&'()*+,;=%@]*$/;
const HOST = /^(?:\[[^\]]*\]|(?:[^\u0000-\u007f]|[A-Za-z0-9\-_.~!$&'()*+,;=<>"]|%[89A-Fa-f][0-9A-Fa-f])*)(?::\d*)?$/; // oxlint-disable-line no-control-regex -- ASCII
const BROKEN_ESCAPE = /%(?![0-9A-Fa-f]{2})/;

export function isRequestUri(text: string): boolean {
	if (/[\u0000-\u001f\u007f]/.test(text)) return false; // oxlint-disable-line no-control-regex -- Go refuses control characters
	if (text === '*') return true;
	const [, scheme, hierarchy = text] = /^([A-Za-z][A-Za-z0-9+.-]*):(.*)$/s.exec(text) ?? [];
	const [rest = ''] = hierarchy.split('?', 1);
	if (!rest.startsWith('/')) return scheme !== undefined;
	if (scheme === undefined || !rest.startsWith('//')) return !BROKEN_ESCAPE.test(rest);
	const [, authority = '', path = ''] = /^\/\/([^/]*)(.*)$/s.exec(rest) ?? [];
	const at = authority.lastIndexOf('@');
	const user = authority.slice(0, Math.max(at, 0));
	return USER.test(user) && HOST.test(authority.slice(at + 1)) && !BROKEN_ESCAPE.test(user) && !BROKEN_ESCAPE.test(path);
}
