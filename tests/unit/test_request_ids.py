import contextvars

from ray.serve.context import _get_serve_request_context, _RequestContext, _serve_request_context

from tgrag import logs
from tgrag.request_ids import carried_by_serve, give_to_serve, take_from_serve


def test_serve_carries_an_id_from_one_deployment_to_the_next_and_keeps_the_rest() -> None:
    def ingress() -> contextvars.Context:
        _serve_request_context.set(_RequestContext(request_id="sent raw", is_http_request=True, route="/"))
        logs.request_id.set("r-1")
        give_to_serve()
        assert _get_serve_request_context() == _RequestContext(
            request_id="r-1", is_http_request=True, route="/"
        )
        logs.request_id.set("")  # the log's own does not go from process to process
        return contextvars.copy_context()

    def retriever() -> str:
        take_from_serve()
        return logs.request_id.get()

    assert contextvars.copy_context().run(ingress).run(retriever) == "r-1"


def test_outside_of_a_deployment_there_is_none() -> None:
    assert contextvars.Context().run(carried_by_serve) == ""
