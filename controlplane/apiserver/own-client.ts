/** What the server asks of itself, as when it makes its bootstrap objects. */
import type { Client } from '../../client/client.ts';
import { createClient } from '../../client/rest.ts';
import type { Transport } from '../../client/transport.ts';
import type { UserInfo } from './contracts.ts';
import { ITSELF, OWN_MANAGER } from './registry/itself.ts';

/** Only once the server has all its parts. */
export function ownClient({ transport }: { readonly transport: (user: UserInfo) => Transport }): Client {
	return createClient(transport(ITSELF)).as(OWN_MANAGER);
}
