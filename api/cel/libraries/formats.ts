/** Kubernetes' named formats: format.dns1123Label().validate(text) gives the reasons, if any. */
import { EvalError } from '../errors.ts';
import { estimates } from '../ranges.ts';
import { overload, type Costs, type Overload } from '../functions.ts';
import { ArrayList, Opaque, Optional, type Value } from '../values.ts';
import { sized, traversal } from './costs.ts';
import { NAMED_FORMATS, type Validate } from './named-formats.ts';

const TYPE = 'kubernetes.NamedFormat';
/** Upstream's guess of the longest pattern of a name. */
const PATTERN_LENGTH = 128;
const REGEX_COST = Math.ceil(PATTERN_LENGTH * 0.25);

const VALIDATES: Costs = {
	cost: (args) => traversal(sized(args[1])) * REGEX_COST,
	estimate: (args, of) => ({ cost: estimates.multiply(estimates.scale(of.size(args[1]), 0.1), estimates.fixed(REGEX_COST)) }),
};

function make(name: string): Value {
	const validate = NAMED_FORMATS[name];
	if (validate === undefined) throw new EvalError(`unknown format ${name}`);
	return new Opaque(TYPE, validate);
}

export const formats: readonly Overload[] = [
	...Object.keys(NAMED_FORMATS).map((name) => overload(`format-${name}`, `format.${name}(): kubernetes.NamedFormat`, () => make(name))),
	overload('format-named', 'format.named(string): optional(kubernetes.NamedFormat)', (name) =>
		Object.hasOwn(NAMED_FORMATS, name as string) ? Optional.of(make(name as string)) : Optional.none,
	),
	overload(
		'format-validate',
		'kubernetes.NamedFormat::validate(string): optional(list(string))',
		(format, text) => {
			const errors = (format as Opaque<Validate>).value(text as string);
			return errors.length === 0 ? Optional.none : Optional.of(new ArrayList(errors));
		},
		VALIDATES,
	),
];
