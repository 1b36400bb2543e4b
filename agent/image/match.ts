/** Whether an image falls under a pattern of a registry: host parts with "*", a port, the beginning of a path (credentialprovider URLsMatch). Pure. */

/** @param pattern "*.registry.io:8080/team"; a scheme before it does not matter */
export function imageMatches(pattern: string, image: string): boolean {
	const [wanted, given] = [partsOf(pattern), partsOf(image)];
	if (wanted.port !== given.port) return false;
	const [hosts, named] = [wanted.host.split('.'), given.host.split('.')];
	if (hosts.length !== named.length || !hosts.every((part, i) => globMatches(part, named[i] ?? ''))) return false;
	return given.path.startsWith(wanted.path);
}

function partsOf(text: string): { readonly host: string; readonly port: string; readonly path: string } {
	const bare = text.replace(/^https?:\/\//, '');
	const slash = bare.indexOf('/');
	const [authority, path] = slash < 0 ? [bare, ''] : [bare.slice(0, slash), bare.slice(slash)];
	const [, host = authority, port = ''] = /^(.*?)(?::(\d+))?$/.exec(authority) ?? [];
	return { host, port, path: path === '/' ? '' : path };
}

function globMatches(glob: string, text: string): boolean {
	const expression = glob
		.replace(/[.+^${}()|[\]\\]/g, '\\$&')
		.replaceAll('*', '.*')
		.replaceAll('?', '.');
	return new RegExp(`^${expression}$`).test(text);
}
