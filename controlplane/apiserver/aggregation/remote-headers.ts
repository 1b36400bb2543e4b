/** What tells an aggregated server who asks: our certificate vouches for these headers. Pure. */
import type { OutgoingHttpHeaders } from 'node:http';
import type { UserInfo } from '../contracts.ts';

/** Set by nobody but us. */
export function isRemoteHeader(name: string): boolean {
	return name === 'x-remote-user' || name === 'x-remote-uid' || name === 'x-remote-group' || name.startsWith('x-remote-extra-');
}

export function remoteHeaders({ name, uid, groups, extra }: UserInfo): OutgoingHttpHeaders {
	return {
		'X-Remote-User': name,
		...(uid === '' ? {} : { 'X-Remote-Uid': uid }),
		...(groups.length === 0 ? {} : { 'X-Remote-Group': [...groups] }),
		...Object.fromEntries(Object.entries(extra).map(([key, values]) => [`X-Remote-Extra-${escaped(key)}`, [...values]])),
	};
}

/** Whatever may not stand in a header's name is percent-encoded (client-go transport.headerKeyEscape). */
function escaped(key: string): string {
	return [...Buffer.from(key)]
		.map((byte) => {
			const c = String.fromCharCode(byte);
			return /[A-Za-z0-9!#$&'*+\-.^_`|~]/.test(c) ? c : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`;
		})
		.join('');
}
