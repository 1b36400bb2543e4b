/** Kubernetes' named formats: format.dns1123Label().validate(text) gives the reasons, if any. */
import { EvalError } from '../errors.ts';
import { estimates } from '../ranges.ts';
import { overload, type Costs, type Overload } from '../functions.ts';
import { ArrayList, Opaque, Optional, type Value } from '../values.ts';
import { PATTERN, sized, TRAVERSAL, traversal } from './costs.ts';
import { NAMED_FORMATS, type Validate } from './named-formats.ts';

const TYPE = 'kubernetes.NamedFormat';
/** Upstream's guess of the longest pattern of a name; what validates is charged by its own. */
const PATTERN_LENGTH = 128;
const LENGTHS: Readonly<Record<string, number>> = {
	dns1123Label: 30,
	dns1123LabelPrefix: 30,
	dns1035Label: 30,
	dns1035LabelPrefix: 30,
	labelValue: 40,
	uri: 1103,
	uuid: 70,
	byte: 84,
	date: 71,
	datetime: 71,
};
const OTHER_LENGTH = 60;

interface Format {
	readonly name: string;
	readonly validate: Validate;
}

const formatOf = (value: Value | undefined): Format => (value as Opaque<Format>).value;

const VALIDATES: Costs = {
	cost: ([format, text]) => {
		if (!(format instanceof Opaque)) return 1;
		return traversal(1 + sized(text)) * Math.ceil((LENGTHS[formatOf(format).name] ?? OTHER_LENGTH) * PATTERN);
	},
	estimate: (args, of) => ({ cost: estimates.scale(estimates.scale(of.size(args[1]), TRAVERSAL), PATTERN_LENGTH * PATTERN) }),
};

function make(name: string): Value {
	const validate = NAMED_FORMATS[name];
	if (validate === undefined) throw new EvalError(`unknown format ${name}`);
	return new Opaque(TYPE, { name, validate } satisfies Format, (a, b) => a.name === b.name);
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
			const errors = formatOf(format).validate(text as string);
			return errors.length === 0 ? Optional.none : Optional.of(new ArrayList(errors));
		},
		VALIDATES,
	),
];
