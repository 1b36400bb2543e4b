/** One issuer of an AuthenticationConfiguration, as upstream's types have it. */

/** A claim taken as it is, or an expression over all of them. */
export interface PrefixedClaim {
	readonly claim?: string;
	readonly prefix?: string;
	readonly expression?: string;
}

export interface JwtIssuer {
	readonly url: string;
	readonly discoveryURL?: string;
	/** PEM; the system's authorities when absent. */
	readonly certificateAuthority?: string;
	readonly audiences: readonly string[];
	readonly audienceMatchPolicy?: string;
	/** Taken and not followed: this server reaches all networks by itself. */
	readonly egressSelectorType?: string;
}

export interface JwtAuthenticator {
	readonly issuer: JwtIssuer;
	readonly claimValidationRules?: readonly {
		readonly claim?: string;
		readonly requiredValue?: string;
		readonly expression?: string;
		readonly message?: string;
	}[];
	readonly claimMappings: {
		readonly username: PrefixedClaim;
		readonly groups?: PrefixedClaim;
		readonly uid?: { readonly claim?: string; readonly expression?: string };
		readonly extra?: readonly { readonly key: string; readonly valueExpression: string }[];
	};
	readonly userValidationRules?: readonly { readonly expression: string; readonly message?: string }[];
	/** Algorithms beside RS256 (--oidc-signing-algs). */
	readonly signingAlgorithms?: readonly string[];
}
