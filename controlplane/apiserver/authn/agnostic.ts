/** Tokens that know no audiences are good where the server itself is meant (upstream's WrapAudienceAgnosticToken). Pure. */
import type { TokenAuthenticator } from './token-authenticator.ts';

/** @param own audiences of the API server: a token that is asked about for others only is none of the authenticator's */
export function audienceAgnostic(authenticator: TokenAuthenticator, own: readonly string[]): TokenAuthenticator {
	let last: { readonly asked: readonly string[]; readonly shared: readonly string[] } = { asked: own, shared: own };
	const shared = (asked: readonly string[]): readonly string[] => {
		// The server's own requests bring the same list each time.
		if (last.asked !== asked) last = { asked, shared: asked.filter((audience) => own.includes(audience)) };
		return last.shared;
	};
	const { recallToken } = authenticator;
	return {
		async authenticateToken(token, asked, signal) {
			return shared(asked).length === 0 ? undefined : authenticator.authenticateToken(token, shared(asked), signal);
		},
		...(recallToken === undefined
			? {}
			: {
					recallToken: (token, asked) => (shared(asked).length === 0 ? undefined : recallToken.call(authenticator, token, shared(asked))),
				}),
	};
}
