"""Jobs on several processes, with their results as they come."""
import concurrent.futures
import multiprocessing


def results(task, jobs, processes, start, settings):
    """task(job) of each job, in the order in which they end; each process calls start(*settings) first.

    Who stops to read waits for the jobs that have begun; no other begins. A process that dies is an error (BrokenProcessPool).
    (multiprocessing.Pool waits for ever where `terminate` meets a process that holds the lock of its queue.)
    """
    fork = multiprocessing.get_context("fork")  # processes know what this one has learnt
    with concurrent.futures.ProcessPoolExecutor(processes, fork, start, settings) as pool:
        begun = [pool.submit(task, job) for job in jobs]
        try:
            for done in concurrent.futures.as_completed(begun):
                yield done.result()
        finally:
            pool.shutdown(cancel_futures=True)
