/** What goes wrong while an expression runs. */

/** An error of the expression itself (`no such key: x`); && and || may absorb it. */
export class EvalError extends Error {
	override readonly name = 'EvalError';
}

/** The budget is used up; nothing absorbs it. */
export class CostExceeded extends Error {
	override readonly name = 'CostExceeded';
	constructor() {
		super('operation cancelled: actual cost limit exceeded');
	}
}

export const NO_OVERLOAD = 'no such overload';
