/** Devices as expressions of selectors see them (upstream dynamic-resource-allocation/cel). */
import { parseQuantity } from '../quantity.ts';
import type { Device, DeviceAttribute } from '../gen/types.ts';
import { Budget, type Variables } from './runs.ts';
import { DEVICE } from './device-type.ts';
import { compile, PER_CALL_LIMIT } from './environment.ts';
import { EvalError } from './errors.ts';
import { quantityValue } from './libraries/quantity.ts';
import { semverValue } from './libraries/semver.ts';
import { EntryMap, MapValue, typeNameOf, type Value } from './values.ts';

type DeviceMatch = (driver: string, device: Device) => boolean;

/** CompileError for what is no expression. The match throws EvalError where it cannot be told for a device. */
export function deviceMatch(expression: string): DeviceMatch {
	const program = compile(DEVICE, expression);
	return (driver, device) => {
		const value = deviceValue(driver, device);
		const variables: Variables = (name) => (name === 'device' ? value : undefined);
		const answer = program.evaluate(variables, new Budget(PER_CALL_LIMIT));
		if (typeof answer === 'boolean') return answer;
		throw new EvalError(`CEL result of type ${typeNameOf(answer)} could not be converted to bool: ${unconverted(answer)}`);
	};
}

/** In the words of each of cel-go's types. */
function unconverted(answer: Value): string {
	if (typeof answer === 'bigint') return "unsupported type conversion from 'int' to bool";
	if (typeof answer === 'string') return "unsupported native conversion from string to 'bool'";
	return `type conversion error from '${typeNameOf(answer).replace('kubernetes.', '')}' to 'bool'`;
}

function deviceValue(driver: string, { attributes = {}, capacity = {}, allowMultipleAllocations = false }: Device): Value {
	return new EntryMap(
		[
			['driver', driver],
			['attributes', new Domains(driver, named(attributes, attributeValue))],
			[
				'capacity',
				new Domains(
					driver,
					named(capacity, ({ value }) => quantityValue(parseQuantity(value))),
				),
			],
			['allowMultipleAllocations', allowMultipleAllocations],
		],
		'kubernetes.DRADevice',
	);
}

/** By domain, then by name; a name without a domain is of the driver's own, and a domain that is not there is empty. */
class Domains extends MapValue {
	readonly #domains = new Map<string, [string, Value][]>();

	constructor(driver: string, entries: Iterable<readonly [string, Value]>) {
		super();
		for (const [name, value] of entries) {
			const slash = name.indexOf('/');
			const domain = slash < 0 ? driver : name.slice(0, slash);
			const inDomain = this.#domains.get(domain) ?? [];
			inDomain.push([name.slice(slash + 1), value]);
			this.#domains.set(domain, inDomain);
		}
	}

	get size(): number {
		return this.#domains.size;
	}

	get(domain: Value): Value {
		return new EntryMap(typeof domain === 'string' ? (this.#domains.get(domain) ?? []) : []);
	}

	override has(domain: Value): boolean {
		return typeof domain === 'string' && this.#domains.has(domain);
	}

	keys(): Iterable<Value> {
		return this.#domains.keys();
	}
}

function named<T>(items: Readonly<Record<string, T>>, toValue: (item: T) => Value): readonly (readonly [string, Value])[] {
	return Object.entries(items).map(([name, item]) => [name, toValue(item)] as const);
}

function attributeValue({ string, bool, int, version }: DeviceAttribute): Value {
	if (string !== undefined) return string;
	if (bool !== undefined) return bool;
	if (int !== undefined) return BigInt(int);
	if (version !== undefined) return semverValue(version);
	throw new EvalError('unsupported attribute value');
}
