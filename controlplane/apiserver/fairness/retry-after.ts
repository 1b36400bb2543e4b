/** How long refused clients are asked to wait: doubled while many are refused, shortened by a second when few are (upstream's droppedRequestsTracker). */

const MAX_SECONDS = 32;

export class RetryAfter {
	#seconds = 1;
	#raisedAt = Number.NEGATIVE_INFINITY;
	/** Refusals by second, oldest first. */
	#history: { readonly second: number; count: number }[] = [];

	/** Counts one refusal and says what to tell the client. @param nowMs wall time */
	refuse(nowMs: number): number {
		const second = Math.floor(nowMs / 1000);
		const last = this.#history.at(-1);
		if (last?.second === second) last.count++;
		else {
			this.#history = this.#history.filter((h) => second - h.second <= Math.min(2 * this.#seconds, MAX_SECONDS));
			this.#history.push({ second, count: 1 });
			this.#adjust(second);
		}
		return this.#seconds;
	}

	#adjust(second: number): void {
		let refused = 0;
		for (const h of this.#history) if (h.second < second && second - h.second <= this.#seconds) refused += h.count;
		if (second - this.#raisedAt >= this.#seconds && refused >= 3 * this.#seconds) {
			this.#seconds = Math.min(2 * this.#seconds, MAX_SECONDS);
			this.#raisedAt = second;
		} else if (refused < this.#seconds && this.#seconds > 1) this.#seconds--;
	}
}
