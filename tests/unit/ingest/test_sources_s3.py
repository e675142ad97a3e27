import boto3
import pytest

from tests.roots import s3_server
from tgrag.errors import ConfigurationError
from tgrag.ingest.collection import load_collection_files
from tgrag.ingest.sources import discover, read_source


def test_objects_of_a_bucket_are_named_like_files_of_a_folder() -> None:
    with s3_server() as endpoint:
        client = boto3.client("s3", endpoint_url=endpoint)
        client.create_bucket(Bucket="library")
        keys = ["in/books/a.txt", "in/books/deep/й.txt", "in/books/.hidden.txt", "in/bookshelf.txt"]
        for key in keys:
            client.put_object(Bucket="library", Key=key, Body=key.encode())
        client.put_object(
            Bucket="library",
            Key="in/books/collection.yaml",
            Body="series: [{title: С, books: [a.txt]}]".encode(),
        )

        files = discover(["s3://library/in/books/"])
        assert [file.source for file in files] == ["books/a.txt", "books/deep/й.txt"]
        assert [read_source(file.location).decode() for file in files] == [
            "in/books/a.txt",
            "in/books/deep/й.txt",
        ]
        assert [file.source for file in discover(["s3://library/in/books/a.txt"])] == ["a.txt"]
        config = load_collection_files(["s3://library/in/books"])
        assert config is not None
        assert config.find("books/a.txt") is not None
        above = load_collection_files(["s3://library/in"])
        assert above is not None
        assert above.find("in/books/a.txt") is not None
        with pytest.raises(ConfigurationError, match="no files"):
            discover(["s3://library/nothing"])
