/** Upstream's token file: lines of token, user, uid and, in quotes, groups. Pure. */
import { AppError } from '../../base/errors.ts';
import type { StaticToken } from '../../controlplane/apiserver/authn/static-tokens.ts';

/** AppError InvalidArgument for a line that is none. */
export function parse(text: string): readonly StaticToken[] {
	return text
		.split('\n')
		.map((line) => line.trim())
		.filter((line) => line !== '' && !line.startsWith('#'))
		.map((line, i) => {
			const [token = '', user = '', uid = '', groups = ''] = fieldsOf(line);
			if (token === '' || user === '')
				throw new AppError('InvalidArgument', `--token-auth-file: line ${i + 1} is not token,user,uid,"group,group"`);
			return { token, user, uid, groups: groups === '' ? [] : groups.split(',').map((group) => group.trim()) };
		});
}

/** Fields between commas; those in quotes may contain commas. */
function fieldsOf(line: string): readonly string[] {
	return [...line.matchAll(/(?:^|,)\s*(?:"((?:[^"]|"")*)"|([^,]*))/g)].map(([, quoted, plain = '']) =>
		quoted === undefined ? plain.trim() : quoted.replaceAll('""', '"'),
	);
}
