/** Upstream's token file: CSV (RFC 4180) with lines of token, user, uid and, in quotes, groups. Pure. */
import { AppError } from '../../base/errors.ts';
import type { StaticToken } from '../../controlplane/apiserver/authn/static-tokens.ts';

/** As upstream's, but that lines may begin with "#" to be no tokens. AppError InvalidArgument for a line that is none. */
export function parse(text: string, source: string): readonly StaticToken[] {
	return text.split('\n').flatMap((line, i): readonly StaticToken[] => {
		const trimmed = line.trim();
		if (trimmed === '' || trimmed.startsWith('#')) return [];
		const wrong = (why: string): AppError => new AppError('InvalidArgument', `--token-auth-file "${source}": line ${i + 1} ${why}`);
		const fields = fieldsOf(trimmed);
		if (fields === undefined) throw wrong('has a quote that is not closed, or not around a whole field');
		const [token = '', user = '', uid = '', groups = ''] = fields;
		if (fields.length < 3) throw wrong(`must have at least 3 columns (token, user name, user uid), found ${fields.length}`);
		// What nobody can send is nobody's.
		if (token === '') return [];
		return [{ token, user, uid, groups: groups === '' ? [] : groups.split(',').map((group) => group.trim()) }];
	});
}

/** Fields between commas; those in quotes may contain commas, and quotes doubled. Undefined: its quotes are wrong. */
function fieldsOf(line: string): readonly string[] | undefined {
	const fields = [...`,${line}`.matchAll(/,(?:\s*"((?:[^"]|"")*)"\s*(?=,|$)|([^",]*)(?=,|$))/gy)];
	const read = fields.reduce((length, [whole]) => length + whole.length, 0);
	if (read < line.length + 1) return undefined;
	return fields.map(([, quoted, plain = '']) => (quoted === undefined ? plain.trim() : quoted.replaceAll('""', '"')));
}
