import test from 'ava';
import { BearerAuthenticator } from './bearer.ts';
import { authenticatorChain } from './chain.ts';
import { BEARER_SUBPROTOCOL, WebSocketBearerAuthenticator } from './websocket-bearer.ts';

const { signal } = new AbortController();
const good = {
	authenticateToken: (token: string) =>
		Promise.resolve(token === 'good' ? { user: { name: 'u', uid: '', groups: [], extra: {} }, audiences: [] } : undefined),
};
const authenticator = authenticatorChain([new BearerAuthenticator([good], []), new WebSocketBearerAuthenticator([good], [])]);
const GOOD = `${BEARER_SUBPROTOCOL}${Buffer.from('good').toString('base64url')}`;
const HANDSHAKE = { upgrade: 'WebSocket', connection: 'keep-alive, Upgrade' };

for (const [what, protocols, headers, want] of [
	['beside another', `${GOOD}, binary.k8s.io`, {}, 'u'],
	['alone: nothing is left to agree to', GOOD, {}, 'Unauthorized'],
	['twice', `${GOOD}, ${GOOD}, binary.k8s.io`, {}, 'Unauthorized'],
	['of nobody', `${BEARER_SUBPROTOCOL}YmFk, binary.k8s.io`, {}, 'Unauthorized'],
	['with padding', `${GOOD}==, binary.k8s.io`, {}, 'Unauthorized'],
	['that is no text', `${BEARER_SUBPROTOCOL}__4, binary.k8s.io`, {}, 'Unauthorized'],
	['that is empty', `${BEARER_SUBPROTOCOL}, binary.k8s.io`, {}, 'system:anonymous'],
	['of no handshake', `${GOOD}, binary.k8s.io`, { upgrade: 'SPDY/3.1' }, 'system:anonymous'],
	['and a header that is no good', `${GOOD}, binary.k8s.io`, { authorization: 'Bearer bad' }, 'u'],
] as const)
	test(`a token offered as a subprotocol: ${what}`, async (t) => {
		const credentials = { headers: { ...HANDSHAKE, 'sec-websocket-protocol': protocols, ...headers }, clientCertificate: undefined };
		const named = authenticator.authenticate(credentials, signal).then(
			({ name }) => name,
			({ message }: Error) => message,
		);
		t.is(await named, want);
	});
