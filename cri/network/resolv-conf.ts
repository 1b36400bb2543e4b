/** The pod's resolv.conf(5). Pure but for reading the host's. */
import { AppError } from '../../base/errors.ts';
import { familyOf } from '../../base/ip.ts';
import { type ReadSmall, readSmall } from '../../host/small-file.ts';
import type { DNSConfig } from '../proto.ts';

/** What resolvers take, and kubelets pass, at most (Kubernetes' pkg/apis/core/validation). */
const MOST_SERVERS = 3;
const MOST_SEARCHES = 32;
const MOST_SEARCH_CHARACTERS = 2048;
const HOST_FILE = '/etc/resolv.conf';
/** Where systemd-resolved keeps the servers behind its stub. */
const BEHIND_STUB = '/run/systemd/resolve/resolv.conf';

/** What is over the limits is left out, as resolvers would. Throws InvalidArgument where an entry would forge a line. */
export function resolvConfOf({ servers, searches, options }: DNSConfig): string {
	for (const word of [...servers, ...searches, ...options])
		if (word === '' || /\s/.test(word)) throw new AppError('InvalidArgument', `Cannot write ${JSON.stringify(word)} into resolv.conf`);
	const wrong = servers.find((s) => familyOf(s.split('%')[0] as string) === undefined);
	if (wrong !== undefined) throw new AppError('InvalidArgument', `DNS server "${wrong}" is not an IPv4 or IPv6 address`);
	const fitting = searches.slice(0, MOST_SEARCHES).filter((_, i, all) => all.slice(0, i + 1).join(' ').length <= MOST_SEARCH_CHARACTERS);
	return [
		...(fitting.length === 0 ? [] : [`search ${fitting.join(' ')}`]),
		...servers.slice(0, MOST_SERVERS).map((s) => `nameserver ${s}`),
		...(options.length === 0 ? [] : [`options ${options.join(' ')}`]),
		'',
	].join('\n');
}

/** The host's own, for a pod that asks for none. A pod with a loopback of its own cannot reach a server on the host's. */
export function hostResolvConf(ownNetwork: boolean, read: ReadSmall = readSmall): string {
	const text = read(HOST_FILE) ?? '';
	if (!ownNetwork || !hasLoopbackServersOnly(text)) return text;
	const behind = read(BEHIND_STUB) ?? '';
	return behind !== '' && !hasLoopbackServersOnly(behind) ? behind : withoutLoopbackServers(text);
}

export function hasLoopbackServersOnly(text: string): boolean {
	const servers = [...text.matchAll(/^nameserver\s+(\S+)/gm)].map((m) => m[1] as string);
	return servers.length > 0 && servers.every(isLoopback);
}

function withoutLoopbackServers(text: string): string {
	return text
		.split('\n')
		.filter((line) => !isLoopback(/^nameserver\s+(\S+)/.exec(line)?.[1] ?? ''))
		.join('\n');
}

function isLoopback(ip: string): boolean {
	return ip.startsWith('127.') || ip === '::1';
}
