/** What tells an aggregated server who asks: our certificate vouches for these headers. Pure. */
import type { OutgoingHttpHeaders } from 'node:http';
import { headerKey } from '../../../wire/http/header-key.ts';
import { toHeader } from '../../../wire/http/header-text.ts';
import type { UserInfo } from '../contracts.ts';

/** Set by nobody but us. */
export function isRemoteHeader(name: string): boolean {
	return name === 'x-remote-user' || name === 'x-remote-uid' || name === 'x-remote-group' || name.startsWith('x-remote-extra-');
}

export function remoteHeaders({ name, uid, groups, extra }: UserInfo): OutgoingHttpHeaders {
	return {
		'X-Remote-User': toHeader(name),
		...(uid === '' ? {} : { 'X-Remote-Uid': toHeader(uid) }),
		...(groups.length === 0 ? {} : { 'X-Remote-Group': groups.map(toHeader) }),
		...Object.fromEntries(Object.entries(extra).map(([key, values]) => [`X-Remote-Extra-${headerKey(key)}`, values.map(toHeader)])),
	};
}
