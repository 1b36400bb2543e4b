/** What the API server's flags say of tokens: of service accounts, and those of a file. Upstream's validation. */
import { AppError } from '../../base/errors.ts';
import type { StandardOptions } from '../../controlplane/apiserver/standard-options.ts';
import { readTokenKeys } from './credential-files.ts';
import type { Flags } from './flags.ts';
import { parse as parseCsv } from './token-file.ts';

export type TokenOptions = Pick<StandardOptions, 'tokens' | 'formerServiceAccountKeys' | 'tokenLife' | 'jwksUri'> & {
	readonly issuers?: readonly [string, ...string[]];
	readonly audiences?: readonly string[];
};

export async function tokensOf(flags: Flags): Promise<TokenOptions> {
	const [issuer, ...issuers] = issuersOf(flags);
	const audiences = flags.list('api-audiences');
	return {
		tokens: parseCsv(await flags.read('token-auth-file', ''), flags.text('token-auth-file', '')),
		formerServiceAccountKeys: await Promise.all(
			flags.list('service-account-key-file').map((path) => readTokenKeys('--service-account-key-file', path)),
		),
		...(issuer === undefined ? {} : { issuers: [issuer, ...issuers] }),
		...(audiences.length === 0 ? {} : { audiences }),
		tokenLife: tokenLifeOf(flags),
		jwksUri: jwksUriOf(flags),
	};
}

/** Whoever verifies a token looks the keys up at its issuer. */
function issuersOf(flags: Flags): readonly string[] {
	const issuers = flags.list('service-account-issuer');
	for (const issuer of issuers) {
		if (issuer === '') throw wrong('--service-account-issuer should not be an empty string');
		if (issuer.includes(':') && !isUrl(issuer)) throw wrong(`--service-account-issuer "${issuer}" contained a ':' but was not a valid URL`);
	}
	return issuers;
}

/** With a scheme, as Go reads it. */
function isUrl(text: string): boolean {
	return /^[A-Za-z][\w+.-]*:/.test(text);
}

function jwksUriOf(flags: Flags): string | undefined {
	const uri = flags.text('service-account-jwks-uri', '');
	if (uri === '') return undefined;
	if (!uri.toLowerCase().startsWith('https:')) throw wrong(`--service-account-jwks-uri requires https scheme, parsed as: ${uri}`);
	return uri;
}

function tokenLifeOf(flags: Flags): TokenOptions['tokenLife'] {
	const seconds = flags.ms('service-account-max-token-expiration', 0) / 1000;
	if (seconds !== 0 && (seconds < 3600 || seconds > 2 ** 32))
		throw wrong('the service-account-max-token-expiration must be between 1 hour and 2^32 seconds');
	return {
		isExtended: flags.bool('service-account-extend-token-expiration', true),
		...(seconds === 0 ? {} : { maxSeconds: Math.floor(seconds) }),
	};
}

function wrong(why: string): AppError {
	return new AppError('InvalidArgument', why);
}
