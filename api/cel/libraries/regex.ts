/** Kubernetes' regex library: find and findAll. */
import { EvalError } from '../errors.ts';
import { overload, type Costs, type Overload } from '../functions.ts';
import { ArrayList, type Value } from '../values.ts';
import { MATCHES } from './costs.ts';
import { patternOf } from './pattern.ts';

const FINDS: Costs = {
	...MATCHES,
	estimate: (args, of) => ({
		...(MATCHES.estimate as NonNullable<Costs['estimate']>)(args, of),
		size: { min: 0, max: of.size(args[0]).max },
	}),
};

function all(text: string, pattern: string, limit: number): string[] {
	const matcher = patternOf(pattern).matcher(text);
	const found: string[] = [];
	while ((limit < 0 || found.length < limit) && matcher.find()) found.push(matcher.group() ?? '');
	return found;
}

export const regex: readonly Overload[] = [
	overload(
		'string_find_string',
		'string::find(string): string',
		(text, pattern) => all(text as string, pattern as string, 1)[0] ?? '',
		FINDS,
	),
	overload('string_find_all_string', 'string::findAll(string): list(string)', (text, pattern) => findAll(text, pattern, -1n), FINDS),
	overload('string_find_all_string_int', 'string::findAll(string, int): list(string)', findAll, FINDS),
];

function findAll(text?: Value, pattern?: Value, limit?: Value): Value {
	if (typeof pattern !== 'string') throw new EvalError('Illegal regex');
	return new ArrayList(all(text as string, pattern, Number(limit as bigint)));
}
